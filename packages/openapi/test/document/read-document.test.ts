import { describe, expect, it } from "vitest";
import { readDocument } from "../../src/document/read-document.ts";

describe("reading documents of all versions into one model", () => {
  it.each([
    ["3.0.3", { openapi: "3.0.3" }, "3.0"],
    ["3.1", { openapi: 3.1 }, "3.1"],
    ["3.2.0", { openapi: "3.2.0" }, "3.1"],
    ["2.0", { swagger: "2.0" }, "2.0"],
    ["2.0", { swagger: 2 }, "2.0"],
  ])("knows %s", (openapi, document, version) => {
    expect(readDocument({ ...document, paths: {} })).toMatchObject({ openapi, version, operations: [] });
  });

  it.each([
    [{}, /has neither `openapi` nor `swagger`/],
    [{ openapi: "4.0.0" }, /is of version "4.0.0". OpenAPI 3.0, 3.1 and 3.2 and Swagger 2.0 can be read/],
    [{ swagger: "1.2" }, /is of version "1.2"/],
  ])("refuses %j", (document, message) => {
    expect(() => readDocument(document)).toThrow(message);
  });

  it("merges parameters of a path and an operation by name and place, and the operation wins", () => {
    const { operations } = readDocument({
      openapi: "3.0.0",
      paths: {
        "/a": {
          parameters: [
            { name: "x", in: "query", description: "path" },
            { name: "x", in: "header", description: "path" },
            { $ref: "#/components/parameters/Y" },
          ],
          get: { parameters: [{ name: "x", in: "query", description: "operation" }] },
        },
      },
      components: { parameters: { Y: { name: "y", in: "query", required: true, schema: { type: "string" } } } },
    });
    expect(operations[0]!.parameters.map(({ name, in: place, description }) => [name, place, description])).toEqual([
      ["x", "query", "operation"],
      ["x", "header", "path"],
      ["y", "query", undefined],
    ]);
  });

  it("reads operations of path items that are references, and methods of 3.2", () => {
    const { operations } = readDocument({
      openapi: "3.2.0",
      paths: { "/a": { $ref: "#/components/pathItems/A" }, "/gone": { $ref: "#/nowhere" }, "x-other": {} },
      components: { pathItems: { A: { get: {}, query: {}, additionalOperations: { COPY: {} } } } },
    });
    expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /a",
      "QUERY /a",
      "COPY /a",
      "* /gone",
    ]);
    expect(operations.at(-1)!.problem).toBe('The path cannot be read: "#/nowhere" leads nowhere.');
  });

  it("reads the server of Swagger 2 from its parts, https first", () => {
    const servers = (parts: object): string[] =>
      readDocument({ swagger: "2.0", paths: {}, ...parts }).servers.map(({ url }) => url);
    expect(servers({ host: "api.example.com", basePath: "/v1", schemes: ["http", "https"] })).toEqual([
      "https://api.example.com/v1",
      "http://api.example.com/v1",
    ]);
    expect(servers({ host: "api.example.com", schemes: ["ws"] })).toEqual(["https://api.example.com/"]);
    expect(servers({ basePath: "v2" })).toEqual(["/v2"]);
  });

  it("reads bodies and forms of Swagger 2, which are parameters there", () => {
    const { operations } = readDocument({
      swagger: "2.0",
      consumes: ["application/xml", "application/json"],
      paths: {
        "/a": {
          post: { parameters: [{ in: "body", name: "pet", required: true, schema: { type: "object" } }] },
          put: {
            consumes: ["application/x-www-form-urlencoded"],
            parameters: [
              { in: "formData", name: "tags", type: "array", items: { type: "string" }, collectionFormat: "multi" },
              { in: "formData", name: "photo", type: "file", required: true },
            ],
          },
        },
      },
    });
    expect(operations.find(({ method }) => method === "POST")!.body).toMatchObject({
      isRequired: true,
      contents: [{ mediaType: "application/xml" }, { mediaType: "application/json" }],
    });
    expect(operations.find(({ method }) => method === "PUT")!.body).toMatchObject({
      isRequired: true,
      contents: [
        {
          mediaType: "multipart/form-data",
          schema: { value: { properties: { photo: { type: "file" } }, required: ["photo"] } },
          encoding: { tags: { style: "form", explode: true } },
        },
      ],
    });
  });

  it("reads the collection formats of Swagger 2 as styles", () => {
    const formats = ["csv", "ssv", "tsv", "pipes", "multi", undefined];
    const { operations } = readDocument({
      swagger: "2.0",
      paths: {
        "/a": {
          get: {
            parameters: formats.map((collectionFormat, index) => ({
              in: "query",
              name: `p${index}`,
              type: "array",
              items: { type: "string" },
              ...(collectionFormat !== undefined && { collectionFormat }),
            })),
          },
        },
      },
    });
    expect(operations[0]!.parameters.map(({ style, explode }) => [style, explode])).toEqual([
      ["form", false],
      ["spaceDelimited", false],
      ["tabDelimited", false],
      ["pipeDelimited", false],
      ["form", true],
      ["form", false],
    ]);
  });

  it("reads leniently what documents get wrong", () => {
    const { operations } = readDocument({
      openapi: "3.0.0",
      paths: {
        "/a": {
          post: {
            tags: "no list",
            parameters: [{ in: "query" }, { name: "q", in: "nowhere" }, null, { name: "ok", in: "query" }],
            requestBody: { content: { examples: {}, "application/json": {} } },
            responses: null,
            security: "none",
          },
          get: null,
        },
        "/b": null,
        "no/slash": { get: {} },
        "x-other": { get: {} },
      },
    });
    expect(operations.map(({ path }) => path)).toEqual(["/a", "/no/slash"]);
    expect(operations[0]).toMatchObject({ tags: [], security: undefined, parameters: [{ name: "ok" }] });
    expect(operations[0]!.body!.contents.map(({ mediaType }) => mediaType)).toEqual(["application/json"]);
    expect(operations[0]!.notes).toHaveLength(3);
  });
});
