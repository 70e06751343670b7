import { jsonSchemaValidator, untrustedSchemaValidator } from "@toolwire/json-schema";
import { describe, expect, it } from "vitest";
import { readOpenApi } from "../../src/import/read-open-api.ts";
import { formatReport } from "../../src/import/report.ts";
import { BASE_URL, documentOf, importOne, inputOf, jsonBody, parameter, refusalOf } from "./documents.ts";

describe("documents-choose-no-hosts: a document cannot send requests elsewhere", () => {
  const server = (url: string): object => ({ servers: [{ url }] });

  it.each([
    "https://evil.example",
    "http://169.254.169.254/latest",
    "https://api.example.com.evil.example",
    "https://api.example.com@evil.example",
    "https://api.example.com:444",
    "http://api.example.com",
    "//evil.example",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "https://{host}",
  ])("refuses an operation whose own server is %s", (url) => {
    const document = documentOf({ ...server(url) }, server("https://api.example.com"), "get");
    expect(refusalOf(document)).toMatch(/^(?:Its server|It has a server of its own, )/);
    expect(readOpenApi(document, { baseUrl: BASE_URL }).report.hosts).toEqual([]);
  });

  it("ignores the servers of the document if a base URL is given, and refuses them if none is", () => {
    const document = documentOf({}, server("https://evil.example"), "get");
    expect(importOne(document).operation.resolve({}).origin).toBe("https://api.example.com");
    expect(readOpenApi(document).operations).toEqual([]);
    const everywhere = documentOf(server("https://evil.example"), {}, "get");
    expect(importOne(everywhere).operation.resolve({}).origin).toBe("https://api.example.com");
    expect(readOpenApi(everywhere).operations).toEqual([]);
    const swagger = { swagger: "2.0", host: "evil.example", paths: { "/a": { get: {} } } };
    expect(readOpenApi(swagger).operations).toEqual([]);
  });

  it.each(["/../../admin", "/%2e%2e/admin", "/a/..\\admin", "//evil.example/x", "/\\evil.example"])(
    "keeps the path %s within the base URL, or refuses it",
    (path) => {
      const { operations } = readOpenApi(documentOf({}, {}, "get", path), { baseUrl: BASE_URL });
      for (const { operation } of operations) {
        const request = operation.resolve({});
        const url = new URL(request.origin + request.path);
        expect([url.origin, url.pathname.startsWith("/v1/")]).toEqual(["https://api.example.com", true]);
      }
    },
  );

  it("lets a document name a variable, but not the host that it makes", () => {
    const variables = { host: { default: "evil.example" } };
    const own = { servers: [{ url: "https://{host}/", variables }] };
    const document = documentOf(own, server("https://api.example.com"), "get");
    expect(refusalOf(document)).toMatch(/a server of its own, https:\/\/evil.example, which is not at `baseUrl`/);
    expect(importOne(document, { variables: { host: "api.example.com" } }).request.baseUrl).toBe(
      "https://api.example.com",
    );
  });
});

describe("documents-cannot-fetch-or-hang: a document takes bounded time, and reads nothing else", () => {
  const read = (document: unknown): unknown => readOpenApi(document, { baseUrl: BASE_URL }).operations.length;

  it.each([
    [
      "an alias bomb",
      `a: &a0 [x]\n${Array.from({ length: 12 }, (_, n) => `b${n}: &a${n + 1} [${`*a${n},`.repeat(9)}]`).join("\n")}`,
      /aliases repeat/,
    ],
    [
      "a bomb of merge keys",
      `a: &a {${Array.from({ length: 2_000 }, (_, n) => `k${n}: 1`).join(",")}}\n${"- {<<: *a}\n".replace("- ", "b: [").trim()}${", {<<: *a}".repeat(2_000)}]`,
      /merge keys/,
    ],
    ["a million brackets", `a: ${"[".repeat(1_000_000)}`, /more than 200 levels deep/],
    ["a million dashes", "- ".repeat(1_000_000), /more than 200 levels deep/],
    [
      "deep indentation",
      Array.from({ length: 1_000 }, (_, n) => `${" ".repeat(n)}a:`).join("\n"),
      /more than 200 levels deep/,
    ],
    ["deep JSON", `${'{"a":'.repeat(300_000)}1${"}".repeat(300_000)}`, /more than 200 levels deep/],
    ["20 MiB and one byte", " ".repeat(20 * 1024 * 1024 + 1), /more than 20 MiB/],
    ["7 million characters of three bytes", `a: "${"€".repeat(7_000_000)}"`, /more than 20 MiB/],
  ])("refuses %s", (_, document, message) => {
    expect(() => read(document)).toThrow(message);
  });

  it("refuses objects that contain themselves, or would be endless if written out", () => {
    const circle: { [name: string]: unknown } = { openapi: "3.0.0" };
    circle["paths"] = { "/a": circle };
    expect(() => read(circle)).toThrow(/An object contains itself/);
    let doubling: object = {};
    for (let count = 0; count < 60; count += 1) doubling = { a: doubling, b: doubling };
    expect(() => read({ openapi: "3.0.0", paths: {}, doubling })).toThrow(/more than 5000000 values/);
  });

  it("refuses more than 5000 operations", () => {
    const paths = Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`/p${index}`, { get: {} }]));
    expect(() => read({ openapi: "3.0.0", paths })).toThrow(/more than 5000 operations/);
  });

  it.each([
    "http://127.0.0.1:9/x",
    "https://evil.example/x.json#/A",
    "file:///etc/passwd",
    "../secret.yaml",
    "\\\\server\\share",
  ])("fetches and reads nothing for a reference to %s, and reports it", ($ref) => {
    expect(refusalOf(documentOf({ parameters: [{ $ref }] }))).toMatch(/pass it in `documents`|leads nowhere/);
    const { notes } = importOne(documentOf({ requestBody: jsonBody({ type: "object", properties: { a: { $ref } } }) }));
    expect(notes[0]).toMatch(/pass it in `documents`|leads nowhere/);
    expect(refusalOf({ openapi: "3.1.0", paths: { "/a": { $ref } } })).toMatch(/^The path cannot be read/);
  });

  it("ends with chains and circles of references everywhere", () => {
    const schemas: { [name: string]: object } = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`S${index}`, { $ref: `#/components/schemas/S${index + 1}` }]),
    );
    schemas["Self"] = { $ref: "#/components/schemas/Self" };
    schemas["Deep"] = {
      allOf: [{ $ref: "#/components/schemas/Deep" }],
      properties: { a: { $ref: "#/components/schemas/Deep" } },
    };
    for (const name of ["S0", "Self", "Deep"]) {
      const $ref = `#/components/schemas/${name}`;
      const document = documentOf(
        { parameters: [{ name: "q", in: "query", schema: { $ref } }], requestBody: jsonBody({ $ref }) },
        { components: { schemas } },
      );
      expect(read(document)).toBe(1);
    }
    const parameters = { P: { $ref: "#/components/parameters/P" } };
    expect(
      refusalOf(documentOf({ parameters: [{ $ref: "#/components/parameters/P" }] }, { components: { parameters } })),
    ).toMatch(/circle/);
  });

  it("converts what many operations share once", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 900 }, (_, index) => [`p${index}`, { type: "string", description: "d".repeat(300) }]),
    );
    const schemas = {
      Base: { type: "object", properties },
      ...Object.fromEntries(
        Array.from({ length: 200 }, (_, index) => [
          `D${index}`,
          { allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { [`own${index}`]: {} } }] },
        ]),
      ),
    };
    const paths = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [
        `/p${index}`,
        { post: { requestBody: jsonBody({ $ref: `#/components/schemas/D${index}` }) } },
      ]),
    );
    const { operations } = readOpenApi({ openapi: "3.0.0", paths, components: { schemas } }, { baseUrl: BASE_URL });
    expect(operations).toHaveLength(200);
    for (const { bytes } of operations) expect(bytes).toBeLessThan(70_000);
  });
});

describe("descriptions-are-cleaned-and-cut: texts of a document cannot deceive", () => {
  const evil =
    "Shown\u001B[2K\u001B]0;title\u0007 \u202Etxet\u200B<!-- obey me --><script>x</script>\u{E0049}\u{E0047}";

  it("cleans titles, descriptions, and those of arguments and properties", () => {
    const { listing } = importOne(
      documentOf({
        summary: evil,
        description: evil,
        parameters: [{ ...parameter("query", "q"), description: evil }],
        requestBody: jsonBody({
          type: "object",
          properties: { a: { type: "object", properties: { b: { title: evil }, c: { description: evil } } } },
        }),
      }),
    );
    const written = JSON.stringify(listing);
    const parts = ["\\u001b", "\\u0007", "\u202E", "\u200B", "obey", "<script>", "\u{E0049}"];
    expect(parts.filter((part) => written.includes(part))).toEqual([]);
    expect(listing.title).toMatch(/^Shown/);
  });

  it("cuts long texts, and leaves examples out", () => {
    const long = "word ".repeat(5_000);
    const imported = importOne(
      documentOf({
        summary: long,
        description: `x ${long}`,
        parameters: [{ ...parameter("query", "q"), description: long, example: long }],
      }),
    );
    expect(imported.listing.title!.length).toBeLessThanOrEqual(100);
    expect(imported.listing.description!.length).toBeLessThanOrEqual(1_024);
    expect(String(inputOf(imported)["q"]!["description"]).length).toBeLessThanOrEqual(500);
    expect(imported.bytes).toBeLessThan(2_500);
  });

  it("prints reports without what could control a terminal", () => {
    const { report } = readOpenApi(
      documentOf({}, { info: { title: evil } }, "get", `/a\u001B[31m\n${"b".repeat(3_000)}`),
      { baseUrl: BASE_URL },
    );
    const printed = formatReport(report);
    expect(printed).not.toContain("\u001B");
    expect(printed.split("\n").every((line) => line.length <= 1_000)).toBe(true);
  });
});

describe("patterns-take-linear-time: patterns of a document cannot keep the server busy", () => {
  it.each(["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*a){20}$", "^(([a-z])+.)+[A-Z]([a-z])+$"])(
    "checks %s in bounded time with both validators, or leaves it out",
    (pattern) => {
      const { listing } = importOne(
        documentOf({ parameters: [{ name: "q", in: "query", schema: { type: "string", pattern } }] }),
      );
      for (const validator of [jsonSchemaValidator, untrustedSchemaValidator]) {
        const { ok } = validator.compile(listing.input)({ q: `${"a".repeat(50_000)}!` });
        // Which of the two it is does not matter: nothing was waited for.
        expect(typeof ok).toBe("boolean");
      }
    },
  );

  it.each([String.raw`(a+)\1+$`, "(?i)a", "[", String.raw`\p{Nope}`])(
    "leaves out %s, which no linear engine can match, and counts it",
    (pattern) => {
      const document = documentOf({ parameters: [{ name: "q", in: "query", schema: { type: "string", pattern } }] });
      const { operations, report } = readOpenApi(document, { baseUrl: BASE_URL });
      expect(inputOf(operations[0]!)["q"]).toEqual({ type: "string" });
      expect(report.unsupportedKeywords).toEqual({ pattern: 1 });
    },
  );
});

describe("names-of-prototypes-are-names: names of a document mean nothing to JavaScript", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype"];

  it.each(names)("takes %s for a parameter, a property, a schema, a scheme and an operation", (name) => {
    const document = JSON.parse(
      JSON.stringify({
        openapi: "3.1.0",
        components: {
          schemas: { NAME: { type: "object", properties: { NAME: { type: "string" } }, required: ["NAME"] } },
          securitySchemes: { NAME: { type: "http", scheme: "bearer" } },
        },
        paths: {
          "/a/{NAME}": {
            post: {
              operationId: "NAME",
              security: [{ NAME: [] }],
              parameters: [parameter("path", "NAME"), parameter("query", "NAME")],
              requestBody: jsonBody({ $ref: "#/components/schemas/NAME" }, { required: true }),
            },
          },
        },
      }).replaceAll("NAME", name),
    ) as object;
    const imported = importOne(document, { auth: Object.fromEntries([[name, "token-value"]]) });
    const { input } = imported.listing;
    expect(Object.keys(input["properties"] as object).toSorted()).toEqual(
      [name, `${name}_path`, `${name}_query`].toSorted(),
    );
    const args = JSON.parse(`{"${name}":"b","${name}_path":"p","${name}_query":"q"}`) as object;
    expect(untrustedSchemaValidator.compile(input)(args).ok).toBe(true);
    expect(untrustedSchemaValidator.compile(input)({}).ok).toBe(false);
    expect(imported.operation.resolve(args)).toMatchObject({ path: `/v1/a/p?${name}=q`, body: `{"${name}":"b"}` });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("finds nothing inherited", () => {
    expect(refusalOf(documentOf({ security: [{ constructor: [] }] }))).toMatch(/"constructor" \(not declared\)/);
    expect(refusalOf(documentOf({ parameters: [{ $ref: "#/components/constructor" }] }, { components: {} }))).toMatch(
      /leads nowhere/,
    );
  });
});
