import { describe, expect, it } from "vitest";
import { listOpenApi, readOpenApi } from "../../src/import/read-open-api.ts";
import { formatReport } from "../../src/import/report.ts";
import { BASE_URL, documentOf, jsonBody, parameter } from "./documents.ts";

describe("the report of an import", () => {
  const document = {
    openapi: "3.0.3",
    info: { title: "Things", version: "2.1" },
    components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
    paths: {
      "/a": { get: { operationId: "plain", summary: "Plain" } },
      "/b": { get: { operationId: "changed", requestBody: jsonBody({ type: "object", properties: { a: {} } }) } },
      "/c": { get: { operationId: "locked", security: [{ key: [] }] } },
      "/d": {
        post: {
          operationId: "odd",
          requestBody: jsonBody({ type: "object", properties: { a: { minLength: -1, madeUp: 1 } } }),
        },
      },
    },
  };
  const { report, operations } = readOpenApi(document, { baseUrl: BASE_URL });

  it("counts tools, changes and skips, bytes and tokens", () => {
    expect(report).toMatchObject({
      title: "Things",
      openapi: "3.0.3",
      tools: 3,
      changed: 1,
      skipped: 1,
      hosts: ["api.example.com"],
    });
    const listings = operations.map(({ name, listing: { title, description, input, annotations } }) =>
      JSON.stringify({ name, title, description, inputSchema: input, annotations }),
    );
    expect(report.bytes).toBe(listings.join("").length);
    expect(report.tokens).toBe(Math.ceil(report.bytes / 4));
    expect(report.unsupportedKeywords).toEqual({ minLength: 1, madeUp: 1 });
  });

  it("can be printed", () => {
    expect(formatReport(report).split("\n")).toEqual([
      "Things (OpenAPI 3.0.3)",
      `3 tools (1 of them changed), 1 skipped; ${report.bytes} bytes, about ${report.tokens} tokens`,
      "hosts: api.example.com",
      "security: key (apiKey in header X-Key), not configured",
      'warning: The security scheme "key" (apiKey in header X-Key) is not configured.',
      "left out of schemas: minLength (1), madeUp (1)",
      `tool plain (GET /a, ${operations[0]!.bytes} bytes)`,
      `changed changed (GET /b, ${operations[1]!.bytes} bytes): The body is left out, because GET requests have none.`,
      'skipped GET /c: It needs a credential: "key" (apiKey in header X-Key). Pass `auth: { "key": … }`.',
      `tool odd (POST /d, ${operations[2]!.bytes} bytes)`,
      "",
    ]);
  });

  it("warns of tools that fill the memory of a model, and offers search mode for very many", () => {
    const many = (count: number): object => ({
      openapi: "3.0.0",
      paths: Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          `/p${index}`,
          { get: { parameters: [parameter("query", "a", "string", { description: "long text ".repeat(40) })] } },
        ]),
      ),
    });
    const warn = (count: number): readonly string[] => readOpenApi(many(count), { baseUrl: BASE_URL }).report.warnings;
    expect(warn(50)).toEqual([]);
    expect(warn(250)).toEqual([
      expect.stringMatching(/^250 tools are \d+ KiB, about \d+ tokens, in every conversation. Choose with `include`.$/),
    ]);
    expect(warn(900)).toEqual([expect.stringMatching(/Use `mode: "search"`, or choose with `include`.$/)]);
  });

  it("begins with the most frequent reason if nothing became a tool", () => {
    const { report: empty } = readOpenApi(document, {});
    expect(empty.warnings[0]).toMatch(
      /^None of 4 operations became a tool. For 4 of them: Its server is "\/", which is relative/,
    );
  });
});

describe("the list of candidates", () => {
  it("has names and sizes of all operations, and needs neither a base URL nor credentials", () => {
    const document = documentOf(
      {
        operationId: "make",
        tags: ["t"],
        summary: "Makes",
        security: [{ x: [] }],
        requestBody: jsonBody({ type: "object", properties: { a: { type: "string" } } }),
      },
      { info: { title: "Things", version: "2.1" }, servers: [{ url: "https://things.example" }] },
    );
    const listed = listOpenApi(document);
    expect(listed).toMatchObject({
      title: "Things",
      apiVersion: "2.1",
      openapi: "3.0.3",
      servers: ["https://things.example"],
    });
    const [candidate] = listed.operations;
    expect(candidate).toMatchObject({
      name: "make",
      info: { method: "POST", path: "/things", tags: ["t"], summary: "Makes" },
    });
    expect(candidate).not.toHaveProperty("problem");
    const [imported] = readOpenApi(document, { baseUrl: BASE_URL, tool: () => ({ auth: null }) }).operations;
    expect(candidate!.bytes).toBe(imported!.bytes);
    expect(candidate!.tokens).toBe(Math.ceil(candidate!.bytes / 4));
  });

  it("says what is wrong with those that cannot become tools", () => {
    const { operations } = listOpenApi(documentOf({}, {}, "get", "/a/{b}"));
    expect(operations).toMatchObject([
      { bytes: 0, tokens: 0, problem: "Its path has {b}, but there is no path parameter of that name" },
    ]);
  });
});
