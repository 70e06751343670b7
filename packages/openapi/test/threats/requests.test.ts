/** Threats to requests: each is a sentence of the policy, and is sent over a real socket. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpCaller } from "../../src/caller/guarded-caller.ts";
import { compileRequest } from "../../src/request/compile.ts";
import type { BodySpec, ParameterSpec, RequestSpec } from "../../src/request/request-spec.ts";
import { type SeenRequest, startApi, type TestApi } from "../test-api.ts";

let api: TestApi;
const caller = createHttpCaller({ network: { allow: ["localhost"] } });
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  await caller.close();
  await api[Symbol.asyncDispose]();
});

/** Sends a request and returns what the API saw, or the text of the refusal; then nothing was sent. */
async function attack(spec: Partial<RequestSpec>, args: object): Promise<SeenRequest | string> {
  const before = api.seen.length;
  try {
    const plan = compileRequest({ method: "GET", baseUrl: api.origin, path: "/safe", parameters: [], ...spec });
    await caller.send(plan.resolve(args), { timeout: 10_000, maxBytes: 100_000, retries: 0 });
  } catch (error) {
    expect(api.seen).toHaveLength(before);
    return (error as Error).message;
  }
  expect(api.seen).toHaveLength(before + 1);
  return api.seen[before]!;
}

function parameter(place: ParameterSpec["in"], rest: Partial<ParameterSpec> = {}): ParameterSpec {
  return { argument: ["value"], in: place, name: "value", ...rest };
}

describe("path-values-stay-in-their-segment", () => {
  const CLIMBING = [
    "..",
    ".",
    "",
    "../admin",
    "..\\admin",
    "%2e%2e",
    "%2E.",
    ".\t.",
    "..\n",
    "\r..",
    "/admin",
    "a/../../admin",
    "..;/admin",
    "..%2fadmin",
    "//evil.example",
    "\\\\evil.example",
    "?admin=1",
    "#x",
    "@evil.example",
  ];

  it.each(CLIMBING)("a path value %j never reaches another path", async (value) => {
    for (const pathSeparators of ["refuse", "encode", "keep"] as const) {
      const parameters = [parameter("path", { pathSeparators })];
      const outcome = await attack({ path: "/users/{value}/profile", parameters }, { value });
      if (typeof outcome === "string") {
        expect(outcome).toMatch(/^Invalid argument "value": it is (?:a part|one segment) of a path/);
        continue;
      }
      const { pathname, search } = new URL(outcome.url, api.origin);
      expect(pathname).toMatch(pathSeparators === "keep" ? /^\/users\/.+\/profile$/ : /^\/users\/[^/]+\/profile$/);
      expect(search).toBe("");
      // A server that decodes once finds no dots either.
      const [, , segment = ""] = decodeURIComponent(pathname).split("/");
      expect(segment).not.toMatch(/^\.{1,2}$/);
    }
  });

  it("dots that come together from two values of one segment are refused", async () => {
    const parameters = [
      parameter("path", { argument: ["a"], name: "a" }),
      parameter("path", { argument: ["b"], name: "b" }),
    ];
    expect(await attack({ path: "/x/{a}{b}/y", parameters }, { a: ".", b: "." })).toContain(
      'must not be empty, "." or ".."',
    );
  });

  it("a label that makes a dot segment is refused", async () => {
    const parameters = [parameter("path", { style: "label" })];
    for (const value of ["", "."]) {
      expect(await attack({ path: "/x/{value}/y", parameters }, { value })).toContain('must not be empty, "." or ".."');
    }
  });
});

describe("values-add-no-parameters", () => {
  const SMUGGLING = [
    "x&admin=true",
    "x#fragment",
    "x;admin=true",
    "x&value=y",
    "x%26admin=true",
    "x=y",
    "x+y",
    "x\n&admin=1",
  ];

  it.each(SMUGGLING)("a query value %j stays one value", async (value) => {
    for (const allowReserved of [false, true]) {
      const outcome = (await attack({ parameters: [parameter("query", { allowReserved })] }, { value })) as SeenRequest;
      const query = new URL(outcome.url, api.origin).searchParams;
      expect([...query.keys()]).toEqual(["value"]);
      if (!allowReserved) expect(query.get("value")).toBe(value);
    }
  });

  it("the members of an object and the items of a list stay where they are", async () => {
    const deep = (await attack(
      { parameters: [parameter("query", { style: "deepObject" })] },
      { value: { "a]&x=1&b[": "c&d=e" } },
    )) as SeenRequest;
    expect([...new URL(deep.url, api.origin).searchParams]).toEqual([["value[a]&x=1&b[]", "c&d=e"]]);
    const list = (await attack(
      { parameters: [parameter("query", { explode: false })] },
      { value: ["a&b=c", "d"] },
    )) as SeenRequest;
    expect([...new URL(list.url, api.origin).searchParams]).toEqual([["value", "a&b=c,d"]]);
  });

  it("a cookie value adds no cookie, and a form value no field", async () => {
    const cookie = (await attack({ parameters: [parameter("cookie")] }, { value: "x; admin=true" })) as SeenRequest;
    expect(cookie.headers.cookie).toBe("value=x%3B%20admin%3Dtrue");
    const body: BodySpec = {
      contentType: "application/x-www-form-urlencoded",
      format: "form",
      from: { argument: ["value"] },
    };
    const form = (await attack({ method: "POST", body }, { value: { a: "x&admin=true" } })) as SeenRequest;
    expect([...new URLSearchParams(form.body)]).toEqual([["a", "x&admin=true"]]);
  });
});

describe("headers-cannot-be-split", () => {
  const SPLITTING = ["a\r\nx-admin: true", "a\nb", "a\rb", "a\0b", "a\u2028b", "€", "a\u{1F600}", "a\u007F"];

  it.each(SPLITTING)(
    "a header value %j is refused with a text for the model, before anything is sent",
    async (value) => {
      for (const given of [value, [value], { x: value }]) {
        expect(await attack({ parameters: [parameter("header", { name: "X-Value" })] }, { value: given })).toBe(
          'Invalid argument "value": it is sent in a header, which cannot contain line breaks, control characters or characters beyond Latin-1.',
        );
      }
    },
  );

  it("a cookie with a line break is encoded", async () => {
    const outcome = (await attack({ parameters: [parameter("cookie")] }, { value: "a\r\nx: y" })) as SeenRequest;
    expect(outcome.headers.cookie).toBe("value=a%0D%0Ax%3A%20y");
  });

  it("names of parts and files cannot end their header", async () => {
    const encoding = { file: { isFile: true } };
    const body: BodySpec = {
      contentType: "multipart/form-data",
      format: "multipart",
      from: { argument: ["value"] },
      encoding,
    };
    const value = { 'a"\r\nX-Admin: true\r\n\r\n': "x", file: { text: "y", filename: 'f"\r\nX-Admin: true' } };
    const outcome = (await attack({ method: "POST", body }, { value })) as SeenRequest;
    expect(outcome.body).not.toMatch(/^X-Admin/m);
    expect(outcome.body).toContain('name="a%22%0D%0AX-Admin: true%0D%0A%0D%0A"');
    const bad = { file: { text: "y", mimeType: "text/plain\r\nX-Admin: true" } };
    expect(await attack({ method: "POST", body }, { value: bad })).toContain('"mimeType" must be a media type');
  });
});

describe("protected-headers-are-refused", () => {
  it.each([
    "Host",
    "Cookie",
    "Authorization",
    "Content-Length",
    "Transfer-Encoding",
    "Connection",
    "Keep-Alive",
    "Upgrade",
    "TE",
    "Trailer",
    "Proxy-Authorization",
    "Proxy-Connection",
    "Sec-Fetch-Site",
    "Forwarded",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Real-IP",
    "Accept",
    "Content-Type",
    "Content-Encoding",
    "Expect",
    "Via",
    "hOsT",
  ])("no argument can set %s", async (name) => {
    expect(await attack({ parameters: [parameter("header", { name })] }, { value: "x" })).toBe(
      `No argument can set the header "${name}". Set it in \`headers\`, or add a credential with \`auth\`.`,
    );
  });
});

describe("names-of-prototypes-are-names", () => {
  const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];

  it.each(NAMES)("an argument %s that was not given is absent", async (name) => {
    const parameters = [
      parameter("query", { argument: [name], name }),
      parameter("query", { argument: ["a", name], name: "b" }),
    ];
    expect(((await attack({ parameters }, { a: {} })) as SeenRequest).url).toBe("/safe");
    expect(
      await attack({ path: "/{x}", parameters: [parameter("path", { argument: [name], name: "x" })] }, {}),
    ).toContain("it is missing");
  });

  it.each(NAMES)("an argument, property or member %s is an ordinary name", async (name) => {
    const args = JSON.parse(`{"${name}":{"${name}":"1"}}`) as object;
    const query = (await attack(
      { parameters: [parameter("query", { argument: [name], name, style: "deepObject" })] },
      args,
    )) as SeenRequest;
    expect(decodeURIComponent(query.url)).toBe(`/safe?${name}[${name}]=1`);
    const body: BodySpec = {
      contentType: "application/json",
      format: "json",
      from: {
        properties: [
          { argument: [name], property: ["a", name] },
          { argument: [name, name], property: [name] },
        ],
      },
    };
    const json = (await attack({ method: "POST", body }, args)) as SeenRequest;
    expect(json.body).toBe(`{"a":{"${name}":{"${name}":"1"}},"${name}":"1"}`);
    const form: BodySpec = {
      contentType: "application/x-www-form-urlencoded",
      format: "form",
      from: { argument: [name] },
    };
    expect(((await attack({ method: "POST", body: form }, args)) as SeenRequest).body).toBe(`${name}=1`);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
