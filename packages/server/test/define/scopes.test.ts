import { UsageError } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { createServer, InsufficientScope, prompt, resource, tool } from "../../src/index.ts";

const make = (scopes: unknown) => {
  const given = scopes as string[];
  return {
    tool: () => createServer({ name: "s", version: "1", tools: { t: tool({ scopes: given, run: () => "" }) } }),
    resource: () =>
      createServer({
        name: "s",
        version: "1",
        resources: { r: resource({ uri: "a://b", scopes: given, read: () => "" }) },
      }),
    template: () =>
      createServer({
        name: "s",
        version: "1",
        resources: { r: resource({ template: "a://{b}", scopes: given, read: () => "" }) },
      }),
    prompt: () => createServer({ name: "s", version: "1", prompts: { p: prompt({ scopes: given, get: () => "" }) } }),
    InsufficientScope: () => new InsufficientScope(given),
  };
};

const KINDS = Object.keys(make([])) as (keyof ReturnType<typeof make>)[];

describe.each(KINDS)("the scopes of a %s are checked when it is defined", (kind) => {
  test.each([
    [[]],
    ["files:write"],
    [[""]],
    [["files write"]],
    [['a"b']],
    [["a\\b"]],
    [["a\r\nSet-Cookie: x"]],
    [["größe"]],
    [[1]],
    [null],
    [["fine", undefined]],
  ])("%j is refused", (scopes) => {
    expect(make(scopes)[kind]).toThrow(UsageError);
    expect(make(scopes)[kind]).toThrow(/scopes/);
  });

  test.each([[["files:write"]], [["https://api.example.com/files.read", "a", "!#[]~"]]])("%j is fine", (scopes) => {
    expect(make(scopes)[kind]).not.toThrow();
  });
});

describe("InsufficientScope", () => {
  test("carries each scope once, and its data", () => {
    const error = new InsufficientScope(["a", "b", "a"]);
    expect(error).toMatchObject({
      code: 403,
      scopes: ["a", "b"],
      data: { error: "insufficient_scope", scopes: ["a", "b"] },
      message: "This needs the scopes a, b.",
    });
  });
});
