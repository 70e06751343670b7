import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { createAjvValidator } from "../../src/ajv/index.ts";
import { createJsonSchemaValidator, type JsonSchema, type Validate } from "../../src/index.ts";

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
  const SCHEMA = { type: "object", properties: { n: { type: "number", multipleOf: 0.01 } }, required: ["n"] };

  it("waits for the first value, and happens once", () => {
    const validator = createAjvValidator();
    let validate: Validate | undefined;
    expect(countGenerated(() => (validate = validator.compile({ ...SCHEMA })))).toBe(0);
    const check = (): unknown => validate?.({ n: 1 });
    expect(countGenerated(check)).toBeGreaterThan(0);
    expect(countGenerated(check)).toBe(0);
  });

  it("changes nothing about the answers", () => {
    const compiled = createAjvValidator().compile({ ...SCHEMA });
    const interpreted = createJsonSchemaValidator().compile({ ...SCHEMA });
    for (const value of [{ n: 19.99 }, { n: 1 }, { n: 0.005 }, { n: "1" }, {}, null, { n: undefined }]) {
      expect(compiled(value)).toEqual(interpreted(value));
    }
  });

  it("counts no property that is undefined", () => {
    for (const validator of [createAjvValidator(), createJsonSchemaValidator()]) {
      const validate = validator.compile({ minProperties: 1 });
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
      for (const validator of [createAjvValidator(), createJsonSchemaValidator()]) {
        const validate = validator.compile({ multipleOf });
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
    const validate = createAjvValidator().compile(schema);
    expect(countGenerated(() => expect(validate(value).ok).toBe(true))).toBe(0);
  });

  it("is never done by the validators of the main entry point", () => {
    for (const untrusted of [true, false]) {
      const validate = createJsonSchemaValidator({ untrusted }).compile({ ...SCHEMA });
      expect(countGenerated(() => expect(validate({ n: 1 }).ok).toBe(true))).toBe(0);
    }
  });
});

describe("in a process of its own", () => {
  const fixture = fileURLToPath(new URL("fixtures/validate.ts", import.meta.url));

  async function run(...flags: string[]): Promise<unknown> {
    const conditions = "--conditions=@toolwire/source";
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, conditions, "--import", "tsx", fixture]);
    return JSON.parse(stdout);
  }

  it("the main entry point does not load ajv", async () => {
    expect(await run()).toEqual({
      before: { answers: [true, false], isAjvLoaded: false },
      after: { answers: [true, false], isAjvLoaded: true },
    });
  });

  it("the validator with ajv works where generating code is forbidden", async () => {
    expect(await run("--disallow-code-generation-from-strings")).toMatchObject({ after: { answers: [true, false] } });
  });
});
