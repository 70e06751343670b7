import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BodySpec } from "../../src/request/request-spec.ts";
import { resolve, textOf, writeBody } from "./resolve.ts";

const FORM = { contentType: "application/x-www-form-urlencoded", format: "form" } as const;
const MULTIPART = { contentType: "multipart/form-data", format: "multipart" } as const;

/** The parts of a multipart body, each with its head and content as text. */
function partsOf(spec: Partial<BodySpec>, value: unknown): string[] {
  const request = writeBody({ ...MULTIPART, ...spec }, value);
  const [, boundary = ""] = /^multipart\/form-data; boundary=(\S+)$/.exec(request.headers["content-type"] ?? "") ?? [];
  expect(boundary).toMatch(/^toolwire-[\da-f-]{36}$/);
  const text = textOf(request);
  expect(text.endsWith(`--${boundary}--\r\n`)).toBe(true);
  return text.slice(0, -`--${boundary}--\r\n`.length).split(`--${boundary}\r\n`).slice(1);
}

describe("JSON bodies", () => {
  it("are compact, in the order that was given, with null kept", () => {
    const request = writeBody({}, { z: 1, a: { c: null, b: [1, null] } });
    expect(request.body).toBe('{"z":1,"a":{"c":null,"b":[1,null]}}');
    expect(request.headers["content-type"]).toBe("application/json");
  });

  it("have the type that is declared, with its parameters", () => {
    const request = writeBody({ contentType: "application/merge-patch+json; charset=utf-8" }, { a: null });
    expect(request.headers["content-type"]).toBe("application/merge-patch+json; charset=utf-8");
    expect(request.body).toBe('{"a":null}');
  });

  it.each([
    [null, "null"],
    [0, "0"],
    [false, "false"],
    ["", '""'],
    [[], "[]"],
  ])("can be %j as a whole", (value, written) => {
    expect(writeBody({}, value).body).toBe(written);
  });

  it("are absent if the argument is, and then have no type", () => {
    const request = writeBody({}, undefined);
    expect(request.body).toBeUndefined();
    expect(request.headers).not.toHaveProperty("content-type");
  });

  it("are made of arguments by a map of places", () => {
    const properties = [
      { argument: ["email_body"], property: ["email"] },
      { argument: ["street"], property: ["address", "street"] },
      { argument: ["city"], property: ["address", "city"] },
    ];
    const body: BodySpec = { contentType: "application/json", format: "json", from: { properties } };
    const args = { email_body: "a@b", street: null, city: "Oslo", other: 1 };
    expect(resolve({ method: "POST", body }, args).body).toBe(
      '{"email":"a@b","address":{"street":null,"city":"Oslo"}}',
    );
    expect(resolve({ method: "POST", body }, {}).body).toBe("{}");
    expect(resolve({ method: "POST", body: { ...body, isRequired: false } }, {}).body).toBeUndefined();
  });

  it.each([[[["a"], ["a"]]], [[["a"], ["a", "b"]]], [[[]]]])("refuse two arguments for one place: %j", (places) => {
    const properties = places.map((property, index) => ({ argument: [`x${index}`], property }));
    const body: BodySpec = { contentType: "application/json", format: "json", from: { properties } };
    expect(() => resolve({ method: "POST", body }, {})).toThrow("Two arguments become the same property of the body");
  });

  it("do not change the arguments that they are made of", () => {
    const address = { street: "x" };
    const properties = [{ argument: ["address"], property: ["customer", "address"] }];
    resolve(
      { method: "POST", body: { contentType: "application/json", format: "json", from: { properties } } },
      { address },
    );
    expect(address).toEqual({ street: "x" });
  });
});

describe("forms", () => {
  it("write simple values as text, lists by repeating the name, and objects as JSON text", () => {
    const { body, headers } = writeBody(FORM, { a: "x y", b: [1, 2], c: { d: 1 }, e: true, f: null, g: [] });
    expect(body).toBe("a=x+y&b=1&b=2&c=%7B%22d%22%3A1%7D&e=true");
    expect(headers["content-type"]).toBe("application/x-www-form-urlencoded");
  });

  it("write a space as a plus, and encode the tilde", () => {
    expect(writeBody(FORM, { "a b": "~!*'()+&=é" }).body).toBe("a+b=%7E%21*%27%28%29%2B%26%3D%C3%A9");
  });

  it("agree with the platform's own forms", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "grapheme", minLength: 1 }), fc.string({ unit: "grapheme" })),
        (fields) => {
          const names = Object.keys(fields).filter((name) => name !== "__proto__");
          fc.pre(names.length === Object.keys(fields).length);
          expect(writeBody(FORM, fields).body).toBe(new URLSearchParams(fields).toString());
        },
      ),
    );
  });

  it("write properties with a style like parameters of a query", () => {
    const encoding = {
      deep: { style: "deepObject", explode: true },
      list: { style: "form", explode: false },
      pipes: { style: "pipeDelimited" },
      open: { allowReserved: true },
      exploded: { explode: true },
    } as const;
    const fields = { deep: { a: { b: [1] } }, list: [1, 2], pipes: ["a", "b"], open: "a/b", exploded: { x: 1 } };
    expect(writeBody({ ...FORM, encoding }, fields).body).toBe(
      "deep%5Ba%5D%5Bb%5D%5B%5D=1&list=1,2&pipes=a%7Cb&open=a/b&x=1",
    );
  });

  it("write a property as JSON if its encoding says so", () => {
    const encoding = { a: { contentType: "application/json" }, b: { contentType: "text/plain" } };
    expect(writeBody({ ...FORM, encoding }, { a: [1, 2], b: [1, 2] }).body).toBe("a=%5B1%2C2%5D&b=1&b=2");
  });

  it("refuse a body that has no fields", () => {
    expect(() => writeBody(FORM, [1])).toThrow('Invalid argument "body": it must be an object');
  });
});

describe("multipart bodies", () => {
  it("write one part for each property, and for each item of a list", () => {
    expect(partsOf({}, { a: "x", n: 1, o: { p: 1 }, list: ["y", "z"], none: null })).toEqual([
      'Content-Disposition: form-data; name="a"\r\n\r\nx\r\n',
      'Content-Disposition: form-data; name="n"\r\n\r\n1\r\n',
      'Content-Disposition: form-data; name="o"\r\nContent-Type: application/json\r\n\r\n{"p":1}\r\n',
      'Content-Disposition: form-data; name="list"\r\n\r\ny\r\n',
      'Content-Disposition: form-data; name="list"\r\n\r\nz\r\n',
    ]);
  });

  it("write files with a name and a type", () => {
    const encoding = {
      file: { isFile: true },
      photo: { isFile: true, contentType: "image/png" },
      any: { isFile: true, contentType: "image/*" },
    };
    const value = {
      file: { text: "héllo" },
      photo: { base64: "aGk=", filename: "a.png" },
      any: { base64: "aGk", filename: "b.jpg", mimeType: "image/jpeg" },
    };
    expect(partsOf({ encoding }, value)).toEqual([
      'Content-Disposition: form-data; name="file"; filename="file"\r\nContent-Type: application/octet-stream\r\n\r\nhéllo\r\n',
      'Content-Disposition: form-data; name="photo"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nhi\r\n',
      'Content-Disposition: form-data; name="any"; filename="b.jpg"\r\nContent-Type: image/jpeg\r\n\r\nhi\r\n',
    ]);
  });

  it("write several files under one name", () => {
    const parts = partsOf({ encoding: { f: { isFile: true } } }, { f: [{ text: "1" }, { text: "2" }] });
    expect(parts).toHaveLength(2);
  });

  it("use the declared type of a part", () => {
    expect(partsOf({ encoding: { a: { contentType: "text/csv" } } }, { a: "x,y" })).toEqual([
      'Content-Disposition: form-data; name="a"\r\nContent-Type: text/csv\r\n\r\nx,y\r\n',
    ]);
  });

  it("do not encode values, and escape names as browsers do", () => {
    const encoding = { f: { isFile: true } };
    expect(
      partsOf({ encoding }, { 'a"b\r\nc': "ü%\r\n--x", f: { text: "", filename: 'x"\r\nContent-Type: y\0' } }),
    ).toEqual([
      'Content-Disposition: form-data; name="a%22b%0D%0Ac"\r\n\r\nü%\r\n--x\r\n',
      'Content-Disposition: form-data; name="f"; filename="x%22%0D%0AContent-Type: y%00"\r\nContent-Type: application/octet-stream\r\n\r\n\r\n',
    ]);
  });
});

describe("files", () => {
  const OCTETS = { contentType: "application/octet-stream", format: "binary" } as const;

  it("are whole bodies of binary types", () => {
    const request = writeBody(OCTETS, { base64: "AAH/" });
    expect(request.body).toEqual(new Uint8Array([0, 1, 255]));
    expect(request.headers["content-type"]).toBe("application/octet-stream");
  });

  it("say their own type where the declared one leaves it open", () => {
    const type = (contentType: string, mimeType?: string) =>
      writeBody({ ...OCTETS, contentType }, { text: "x", mimeType }).headers["content-type"];
    expect(type("image/*", "image/webp")).toBe("image/webp");
    expect(type("*/*")).toBe("application/octet-stream");
    expect(type("image/jpeg", "image/webp")).toBe("image/jpeg");
  });

  it("come in both alphabets of base64, with and without padding", () => {
    for (const base64 of ["+/8=", "+/8", "-_8=", "-_8"]) {
      expect(writeBody(OCTETS, { base64 }).body).toEqual(new Uint8Array([251, 255]));
    }
    expect(writeBody(OCTETS, { base64: "" }).body).toEqual(new Uint8Array());
  });

  it.each([
    ["/etc/passwd", "it must be an object with"],
    [{ path: "/etc/passwd" }, "it must be an object with"],
    [{ url: "http://169.254.169.254/" }, "it must be an object with"],
    [{ base64: "a", text: "b" }, "it must be an object with"],
    [{ base64: "a b!" }, "not base64"],
    [{ base64: "a" }, "not base64"],
    [{ text: "x", filename: 1 }, "it must be an object with"],
    [{ text: "x", mimeType: "image/png\r\nX: y" }, "must be a media type"],
    [{ text: "x", mimeType: "png" }, "must be a media type"],
  ])("are refused if they are %j", (value, message) => {
    expect(() => writeBody(OCTETS, value)).toThrow(message);
  });

  it("are refused beyond the limit, before they are decoded", () => {
    const limited = { ...OCTETS, maxFileBytes: 4 };
    expect(writeBody(limited, { text: "1234" }).body).toHaveLength(4);
    for (const value of [{ text: "12345" }, { base64: "MTIzNDU=" }, { base64: "A".repeat(100_000) }, { text: "€€" }]) {
      expect(() => writeBody(limited, value)).toThrow("the file is larger than 4 bytes");
    }
    expect(() => writeBody(OCTETS, { base64: "A".repeat(2_000_000) })).toThrow("larger than 1048576 bytes");
  });
});

describe("texts", () => {
  it("are sent as they are, whatever their type", () => {
    const request = writeBody({ contentType: "application/xml", format: "text" }, '<a b="é">\n</a>');
    expect(request.body).toBe('<a b="é">\n</a>');
    expect(request.headers["content-type"]).toBe("application/xml");
  });

  it("refuse a type that is none", () => {
    expect(() => writeBody({ contentType: "text/plain\r\nX: y", format: "text" }, "x")).toThrow(
      "is no media type for a body",
    );
  });
});
