import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileGlob } from "../../src/import/glob.ts";
import { readOpenApi } from "../../src/import/read-open-api.ts";
import type { OpenApiOptions } from "../../src/import/options.ts";
import { BASE_URL, toolNames } from "./documents.ts";

describe("patterns with stars", () => {
  it.each([
    ["/users/*", "/users/5", true],
    ["/users/*", "/users/5/posts", false],
    ["/users/**", "/users/5/posts", true],
    ["/**/posts", "/users/5/posts", true],
    ["/*/*/posts", "/users/5/posts", true],
    ["/*", "/", true],
    ["*", "/a", false],
    ["/users", "/users", true],
    ["/users.", "/usersx", false],
  ])("%s matches the path %s: %s", (pattern, path, expected) => {
    expect(compileGlob(pattern, "/")(path)).toBe(expected);
  });

  it("match the same texts as a regular expression with the same meaning", () => {
    const alphabet = fc.constantFrom("a", "b", "/", "*");
    const texts = fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 10 });
    fc.assert(
      fc.property(fc.string({ unit: alphabet, maxLength: 8 }), texts, (pattern, text) => {
        const source = pattern.replaceAll(/\*+/g, (stars) => (stars.length > 1 ? "[^]*" : "[^/]*"));
        expect(compileGlob(pattern, "/")(text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("choosing operations", () => {
  const document = {
    openapi: "3.0.0",
    paths: {
      "/users": {
        get: { operationId: "listUsers", tags: ["users"] },
        post: { operationId: "createUser", tags: ["users", "write"] },
      },
      "/users/{id}": {
        parameters: [{ name: "id", in: "path" }],
        get: { operationId: "getUser", tags: ["users"] },
        delete: { operationId: "deleteUser", tags: ["users", "write"], deprecated: true },
      },
      "/admin/jobs": {
        get: { operationId: "listJobs", "x-mcp": false },
        post: { operationId: "startJob", "x-toolwire": { name: "start" } },
      },
      "/trace": { trace: { operationId: "traceIt" } },
    },
  };
  const choose = (options: OpenApiOptions): readonly unknown[] =>
    toolNames(readOpenApi(document, { baseUrl: BASE_URL, ...options }).report);

  it.each<[string, OpenApiOptions, string[]]>([
    ["all that are not deprecated or left out by the document", {}, ["list_users", "create_user", "get_user", "start"]],
    ["by id", { include: ["getUser", "listUsers"] }, ["list_users", "get_user"]],
    ["by ids with stars", { include: { operations: ["list*"] } }, ["list_users"]],
    ["by tag", { include: { tags: ["write"] } }, ["create_user"]],
    ["by method", { include: { methods: ["get"] } }, ["list_users", "get_user"]],
    ["by path", { include: { paths: ["/users/*"] } }, ["get_user"]],
    ["by several rules that must all fit", { include: { tags: ["users"], methods: ["POST"] } }, ["create_user"]],
    ["by a function", { include: ({ path }) => path.length === 6 }, ["list_users", "create_user"]],
    [
      "all but some",
      { exclude: { methods: ["POST"], paths: ["/admin/**"] } },
      ["list_users", "create_user", "get_user"],
    ],
    ["deprecated ones if asked", { include: { methods: ["DELETE"] }, deprecated: true }, ["delete_user"]],
    [
      "deprecated ones and those the document leaves out, by their exact id",
      { include: ["deleteUser", "listJobs"] },
      ["delete_user", "list_jobs"],
    ],
    ["those that the function `tool` keeps", { tool: ({ id }) => (id === "getUser" ? {} : false) }, ["get_user"]],
  ])("takes %s", (_, options, expected) => {
    expect(choose(options)).toEqual(expected);
  });

  it("says of every operation why it became no tool", () => {
    const { report } = readOpenApi(document, {
      baseUrl: BASE_URL,
      include: { tags: ["users"] },
      exclude: ["listUsers"],
    });
    expect(report.operations.map(({ id, outcome, notes }) => [id, outcome, notes[0]])).toEqual([
      ["listUsers", "skipped", "`exclude` leaves it out."],
      ["createUser", "tool", undefined],
      ["getUser", "tool", undefined],
      ["deleteUser", "skipped", "It is deprecated."],
      ["listJobs", "skipped", "`include` does not name it."],
      ["startJob", "skipped", "`include` does not name it."],
      ["traceIt", "skipped", "`include` does not name it."],
    ]);
    const { report: all } = readOpenApi(document, { baseUrl: BASE_URL });
    expect(all.operations.at(-1)).toMatchObject({ id: "traceIt", notes: ["The method TRACE is not supported."] });
  });

  it("warns of entries that match nothing, and names the nearest operation", () => {
    const { report } = readOpenApi(document, { baseUrl: BASE_URL, include: { operations: ["getUser", "lstUsers"] } });
    expect(report.warnings).toEqual(['"lstUsers" matches no operation. Did you mean "listUsers"?']);
  });

  it("gives an operation the same name whatever else is chosen", () => {
    const twice = {
      openapi: "3.0.0",
      paths: { "/a": { get: { operationId: "same" } }, "/b": { get: { operationId: "same" } } },
    };
    const names = (include?: OpenApiOptions["include"]): readonly unknown[] =>
      toolNames(readOpenApi(twice, { baseUrl: BASE_URL, include }).report);
    expect(names({ paths: ["/a"] })).toEqual(names().slice(0, 1));
  });

  it("lets names and tools be changed, and refuses names that are illegal or used twice", () => {
    expect(choose({ include: ["getUser"], names: ({ id }) => `my_${id}` })).toEqual(["my_getUser"]);
    expect(choose({ include: ["getUser"], names: () => "a", tool: () => ({ name: "b" }) })).toEqual(["b"]);
    expect(() => choose({ names: () => "a b" })).toThrow(/"a b" cannot be the name of the tool for GET \/users/);
    expect(() => choose({ names: () => "same" })).toThrow(/GET \/users and POST \/users are both called "same"/);
  });

  it("refuses filters that cannot work", () => {
    expect(() => choose({ include: { operation: ["x"] } as object })).toThrow(/operation/);
    expect(() => choose({ include: { tags: "users" } as object })).toThrow(/`include.tags` must be a list of texts/);
  });

  it("limits the number of tools", () => {
    expect(() => choose({ maxTools: 2 })).toThrow(
      "The document makes 4 tools, and `maxTools` is 2. Choose some with `include`.",
    );
  });
});
