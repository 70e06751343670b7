import { describe, expect, it } from "vitest";
import { expectResponseOptions, type ResponseOptions } from "../../src/response/options.ts";
import { compileTransform, type TransformedResponse } from "../../src/response/transform.ts";

interface Given {
  readonly status?: number;
  readonly type?: string | undefined;
  readonly body?: string | Uint8Array;
  readonly args?: object;
  readonly secrets?: readonly string[];
}

function transform(options: ResponseOptions, given: Given): TransformedResponse {
  const { status = 200, type = "application/json", body = "", args = {}, secrets } = given;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const response = {
    status,
    headers: type === "" ? {} : { "content-type": type },
    body: bytes,
    attempts: 1,
    firstByteMs: 1,
  };
  return compileTransform(expectResponseOptions(options))(response, args, secrets);
}

function textOf(options: ResponseOptions, given: Given): string | undefined {
  const [block] = transform(options, given).result.content;
  return block?.type === "text" ? block.text : undefined;
}

function failureOf(given: Given): string {
  try {
    transform({}, given);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("It did not fail.");
}

describe("results of successful responses", () => {
  it("are exactly one text block without isError", () => {
    expect(transform({}, { body: '{"a": 1.50}' })).toEqual({
      result: { content: [{ type: "text", text: '{"a": 1.50}' }] },
      isTruncated: false,
    });
  });

  it.each([200, 201, 202, 203, 206, 207, 299])("are made of the status %i", (status) => {
    expect(textOf({}, { status, body: "[]" })).toBe("[]");
  });

  it("with `auto` are blocks of binary data", () => {
    const body = new Uint8Array([1, 2, 3]);
    const auto = (type: string) => transform({ as: "auto" }, { type, body }).result.content;
    expect(auto("image/png")).toEqual([{ type: "image", data: "AQID", mimeType: "image/png" }]);
    expect(auto("audio/mpeg; x=y")).toEqual([{ type: "audio", data: "AQID", mimeType: "audio/mpeg" }]);
    expect(auto("application/pdf")).toEqual([
      { type: "resource", resource: { uri: "attachment:response", mimeType: "application/pdf", blob: "AQID" } },
    ]);
    expect(transform({ as: "auto" }, { body: "{}" }).result.content).toEqual([{ type: "text", text: "{}" }]);
  });

  it("have structured content if that is wanted and there is a JSON object", () => {
    expect(transform({ output: true }, { body: '{"a":1}' }).result.structuredContent).toEqual({ a: 1 });
    for (const body of ["[1]", "x", '{"a":']) {
      expect(transform({ output: true }, { body }).result).not.toHaveProperty("structuredContent");
    }
  });
});

describe("errors of APIs", () => {
  const PREFIX = "Error: Upstream API returned 404 - ";

  it.each([
    ['{"message":"City not found"}', "City not found"],
    ['{"error":{"message":"No such customer","code":"x"}}', "No such customer"],
    ['{"error":"invalid_request","error_description":"The code is wrong"}', "The code is wrong"],
    ['{"error":"not_found"}', "not_found"],
    ['{"title":"Gone","detail":"The city is gone"}', "The city is gone"],
    ['{"title":"Gone","detail":""}', "Gone"],
    ['{"detail":[{"loc":["q"],"msg":"missing"}]}', '[{"loc":["q"],"msg":"missing"}]'],
    ['{"errors":[{"message":"first"},{"message":"second"}]}', "first"],
    ['{"errors":["first"]}', "first"],
    ['"just text"', "just text"],
    ['{"message":7,"error":"text"}', "text"],
    ["{}", "Not Found"],
    ["[]", "Not Found"],
    ["", "Not Found"],
    ["{broken", "{broken"],
  ])("tell the message of %s", (body, message) => {
    expect(failureOf({ status: 404, body })).toBe(PREFIX + message);
  });

  it("tell a text body, and the reason phrase for HTML and binary data", () => {
    expect(failureOf({ status: 404, type: "text/plain", body: "no\r\n\tsuch   city\0" })).toBe(`${PREFIX}no such city`);
    expect(failureOf({ status: 404, type: "text/html", body: "<h1>404</h1>" })).toBe(`${PREFIX}Not Found`);
    expect(failureOf({ status: 404, type: "text/plain", body: "<!DOCTYPE html><h1>404</h1>" })).toBe(
      `${PREFIX}Not Found`,
    );
    expect(failureOf({ status: 404, type: "image/png", body: "x" })).toBe(`${PREFIX}Not Found`);
  });

  it.each([
    [302, "Found"],
    [304, "Not Modified"],
    [418, "I'm a Teapot"],
    [429, "Too Many Requests"],
    [503, "Service Unavailable"],
    [499, "Client Error"],
    [599, "Server Error"],
    [399, "Redirection"],
  ])("are made of the status %i with the phrase %s", (status, phrase) => {
    expect(failureOf({ status })).toBe(`Error: Upstream API returned ${status} - ${phrase}`);
  });

  it("are one line of at most 300 characters, and cut no character in two", () => {
    const message = failureOf({ status: 404, body: JSON.stringify({ message: "😀".repeat(500) }) }).slice(
      PREFIX.length,
    );
    expect(message.length).toBeLessThanOrEqual(300);
    expect(message.endsWith("😀…")).toBe(true);
    expect(failureOf({ status: 404, body: JSON.stringify({ message: "a\u001B[31m\u202Eb\nc" }) })).toBe(
      `${PREFIX}a [31m b c`,
    );
  });

  it("do not repeat credentials, in whatever form the API repeats them", () => {
    const secret = "sk_live_/+ü12345";
    const base64 = Buffer.from(secret).toString("base64");
    const body = JSON.stringify({ message: `bad key ${secret} or ${encodeURIComponent(secret)} or ${base64}` });
    expect(failureOf({ status: 404, body, secrets: [secret] })).toBe(
      `${PREFIX}bad key [secret] or [secret] or [secret]${"=".repeat(base64.length - base64.replace(/=+$/, "").length)}`,
    );
    expect(failureOf({ status: 404, body: '{"message":"a short word"}', secrets: ["short", ""] })).toBe(
      `${PREFIX}a short word`,
    );
  });

  it("look at a bounded part of a long body", () => {
    const body = `{"message":"x","padding":"${"y".repeat(500_000)}"}`;
    expect(failureOf({ status: 500, body })).toMatch(
      /^Error: Upstream API returned 500 - \{"message":"x","padding":"y+…$/,
    );
  });
});

describe("selection", () => {
  const body = '{"items":[{"id":12345678901234567890,"name":"a","x":1.0},{"id":2,"name":"b"}],"next":"n"}';

  it("returns the selected part as compact JSON, and keeps long numbers", () => {
    expect(textOf({ select: "items[].{id: id, name: name}" }, { body })).toBe(
      '[{"id":12345678901234567890,"name":"a"},{"id":2,"name":"b"}]',
    );
    expect(textOf({ select: "items[0].x" }, { body })).toBe("1.0");
    expect(textOf({ select: "items[?name=='b'].name | [0]" }, { body })).toBe('"b"');
    expect(textOf({ select: "nothing" }, { body })).toBe("null");
  });

  it("keeps numbers apart from texts that look like them", () => {
    const mixed =
      '{"a":"12345678901234567890","b":12345678901234567890,"c":"\\"12345678901234567890","d":-1.5e400,"e":0.10}';
    expect(textOf({ select: "@" }, { body: mixed })).toBe(mixed);
  });

  it("finds no names that the API did not send", () => {
    for (const name of ["constructor", "toString", "hasOwnProperty", "__proto__"]) {
      expect(textOf({ select: `items[0]."${name}"` }, { body })).toBe("null");
      expect(textOf({ select: `"${name}"` }, { body })).toBe("null");
    }
    expect(textOf({ select: '"__proto__".a' }, { body: '{"__proto__":{"a":1}}' })).toBe("1");
  });

  it("says so if the response has no JSON, or not the form that a function needs", () => {
    expect(() => textOf({ select: "a" }, { type: "text/html", body: "<p>" })).toThrow(
      "Error: Upstream API response is not JSON, so that no part of it can be selected",
    );
    expect(() => textOf({ select: "sort(next)" }, { body })).toThrow(
      "Error: Upstream API response does not have the form from which parts can be selected",
    );
  });

  it.each([
    ["items[", "is no JMESPath expression"],
    ["", "is no JMESPath expression"],
    ["a".repeat(1001), "must be a JMESPath expression of at most 1000 characters"],
    [Array.from({ length: 24 }, () => "[@,@]").join("|"), "would repeat the same value too often"],
    [Array.from({ length: 12 }, () => "{a:@,b:@}").join("|"), "would repeat the same value too often"],
    [
      "map(&[@,@,@,@],map(&[@,@,@,@],map(&[@,@,@,@],map(&[@,@,@,@],map(&[@,@,@,@],@)))))",
      "would repeat the same value too often",
    ],
  ])("refuses an expression when the tool is defined: %.30s", (select, message) => {
    expect(() => textOf({ select }, { body })).toThrow(message);
  });

  it("survives JSON that is nested beyond the stack", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(() => textOf({ select: "[0]" }, { body: deep })).toThrow(/^Error: Upstream API response /);
    expect(textOf({ select: "length(@)" }, { body: `[${"1,".repeat(10)}1]` })).toBe("11");
  });
});

describe("members that the model chooses", () => {
  const body = '{"items":[{"id":1,"name":"a","more":{"x":1,"y":2}},{"id":2}],"next":"n"}';
  const choose = (...fields: unknown[]) => textOf({ fields: true }, { body, args: { _fields: fields } });

  it("are copied from objects, and from every item of a list", () => {
    expect(choose("items.name", "next")).toBe('{"items":[{"name":"a"},{}],"next":"n"}');
    expect(choose("items.more.x", "items.id")).toBe('{"items":[{"more":{"x":1},"id":1},{"id":2}]}');
    expect(choose("items.more", "items.more.x")).toBe('{"items":[{"more":{"x":1}},{}]}');
    expect(choose("nothing", "constructor", "__proto__.x")).toBe("{}");
  });

  it("are all if none is chosen, and the text is then unchanged", () => {
    for (const args of [{}, { _fields: [] }, { _fields: null }]) {
      expect(textOf({ fields: true }, { body: ' {"a":1 } ', args })).toBe(' {"a":1 } ');
    }
    expect(textOf({}, { body, args: { _fields: ["next"] } })).toBe(body);
  });

  it("are chosen from a selection, and are no wish for a text", () => {
    expect(textOf({ fields: true, select: "items" }, { body, args: { _fields: ["id"] } })).toBe('[{"id":1},{"id":2}]');
    expect(textOf({ fields: true }, { type: "text/plain", body: "hello", args: { _fields: ["id"] } })).toBe("hello");
  });
});

describe("options of responses", () => {
  it.each([
    [{ selct: "a" }, "response has no option `selct`. Did you mean `select`?"],
    [{ as: "json" }, '`response.as` must be "text" or "auto"; got "json".'],
    [{ maxBytes: 17 * 1024 * 1024 }, "`response.maxBytes` must be at most 16777216"],
    [{ maxText: 0 }, "`response.maxText` must be"],
    [{ fields: "yes" }, "`response.fields` must be true or false"],
  ])("are checked at once: %j", (options, message) => {
    expect(() => transform(options as ResponseOptions, {})).toThrow(message);
  });
});
