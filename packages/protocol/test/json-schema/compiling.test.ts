import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { createJsonSchemaValidator, loadCompiler } from "../../src/json-schema/index.ts";
import type { JsonSchema } from "../../src/schema/index.ts";

/** How many functions were generated from text while `action` ran: ajv's mark. */
function countGenerated(action: () => void): number {
  const generate = vi.spyOn(globalThis, "Function");
  try {
    action();
    return generate.mock.calls.length;
  } finally {
    generate.mockRestore();
  }
}

describe("compiling with ajv", () => {
  beforeAll(loadCompiler);

  const SCHEMA = { type: "object", properties: { n: { type: "number", multipleOf: 0.01 } }, required: ["n"] };

  it("waits until a schema has proved busy, and happens once", () => {
    const validate = createJsonSchemaValidator({ compileAfter: 3 }).compile({ ...SCHEMA });
    const check = (): unknown => validate({ n: 1 });
    expect(countGenerated(check) + countGenerated(check) + countGenerated(check)).toBe(0);
    expect(countGenerated(check)).toBeGreaterThan(0);
    expect(countGenerated(check)).toBe(0);
  });

  it("changes nothing about the answers", () => {
    const compiled = createJsonSchemaValidator({ compileAfter: 0 }).compile({ ...SCHEMA });
    const interpreted = createJsonSchemaValidator({ compileAfter: Infinity }).compile({ ...SCHEMA });
    for (const value of [{ n: 19.99 }, { n: 1 }, { n: 0.005 }, { n: "1" }, {}, null, { n: undefined }]) {
      expect(compiled(value)).toEqual(interpreted(value));
    }
  });

  it("counts no property that is undefined", () => {
    for (const compileAfter of [0, Infinity]) {
      const validate = createJsonSchemaValidator({ compileAfter }).compile({ minProperties: 1 });
      expect([validate({ a: 1 }).ok, validate({ a: undefined }).ok]).toEqual([true, false]);
    }
  });

  it("finds multiples as exactly", () => {
    for (const [multipleOf, value, expected] of [
      [3, 9_007_199_254_740_991, false],
      [10, 9_007_199_254_740_991, false],
      [3, 1e20, false],
      [2, 1e20, true],
      [0.01, 19.99, true],
      [0.01, 0.005, false],
      [0.1, 1e15, true],
    ] as const) {
      for (const compileAfter of [0, Infinity]) {
        const validate = createJsonSchemaValidator({ compileAfter }).compile({ multipleOf });
        expect([multipleOf, value, validate(value).ok]).toEqual([multipleOf, value, expected]);
      }
    }
  });

  it.each<[string, JsonSchema, unknown]>([
    ["recursive", { properties: { a: { $ref: "#" } } }, {}],
    ["uniqueItems", { uniqueItems: true }, []],
    ["inherited names", { required: ["constructor"] }, { constructor: 1 }],
    ["objects to compare with", { anyOf: [{ const: { a: 1 } }, { type: "object" }] }, { valueOf: 1 }],
    ["several of them", { enum: [{ a: 1 }, { a: 2 }] }, { a: 2 }],
    ["contains", { prefixItems: [true], contains: { type: "string" } }, ["a"]],
    ["unevaluatedProperties", { unevaluatedProperties: false }, {}],
    ["unevaluatedItems", { unevaluatedItems: false }, []],
  ])("is not done where ajv is slower or less exact: %s", (_, schema, value) => {
    const validate = createJsonSchemaValidator({ compileAfter: 0 }).compile(schema);
    expect(countGenerated(() => expect(validate(value).ok).toBe(true))).toBe(0);
  });

  it("is not done to the schemas of others", () => {
    const validate = createJsonSchemaValidator({ compileAfter: 0, untrusted: true }).compile({ ...SCHEMA });
    expect(countGenerated(() => expect(validate({ n: 1 }).ok).toBe(true))).toBe(0);
  });

  it("can be switched off", () => {
    const validate = createJsonSchemaValidator({ compileAfter: Infinity }).compile({ ...SCHEMA });
    expect(countGenerated(() => expect(validate({ n: 1 }).ok).toBe(true))).toBe(0);
  });
});

describe("in a process of its own", () => {
  const fixture = fileURLToPath(new URL("fixtures/report-loading.ts", import.meta.url));

  async function run(...flags: string[]): Promise<unknown> {
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, "--import", "tsx", fixture]);
    return JSON.parse(stdout);
  }

  it("ajv is not loaded before it is needed", async () => {
    expect(await run()).toEqual({
      afterFirstChecks: { answers: [true, false], isLoaded: false },
      isUsable: true,
      later: { answers: [true, false], isLoaded: true },
    });
  });

  it("validation works where generating code is forbidden", async () => {
    expect(await run("--disallow-code-generation-from-strings")).toMatchObject({
      afterFirstChecks: { answers: [true, false] },
      isUsable: false,
      later: { answers: [true, false] },
    });
  });
});
