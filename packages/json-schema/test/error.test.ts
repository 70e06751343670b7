import { describe, expect, it } from "vitest";
import { createJsonSchemaValidator, SchemaError } from "../src/index.ts";

/** The error that a bad schema leads to. */
function refuse(): unknown {
  try {
    createJsonSchemaValidator().compile({ type: "text" });
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("the error for a bad schema", () => {
  it("has a code and says where the mistake is", () => {
    expect(refuse()).toMatchObject({
      name: "SchemaError",
      code: "INVALID_SCHEMA",
      message: expect.stringContaining("at type") as string,
    });
  });

  it("is recognised as an instance in other copies of the package, by its brand", () => {
    const brand = Symbol.for("toolwire.error");
    expect((refuse() as Record<symbol, unknown>)[brand]).toEqual(["ToolwireError", "UsageError", "SchemaError"]);
    expect({ [brand]: ["ToolwireError", "UsageError", "SchemaError"] }).toBeInstanceOf(SchemaError);
    for (const other of [new Error("x"), { [brand]: ["ToolwireError"] }, { [brand]: 1 }, null, undefined, 1]) {
      expect(other instanceof SchemaError).toBe(false);
    }
  });
});
