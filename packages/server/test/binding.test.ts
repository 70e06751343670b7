import { describe, expect, test } from "vitest";
import { bindingOf } from "../src/binding.ts";
import { createServer } from "../src/index.ts";

describe("bindingOf", () => {
  const server = createServer({ name: "c", version: "1", revisions: ["2026-07-28", "2025-11-25"] });

  test("gives bindings what users do not see on a server", () => {
    expect(bindingOf(server).revisions).toEqual(["2026-07-28", "2025-11-25"]);
    expect(Object.keys(server)).toEqual([]);
    expect("serve" in server).toBe(false);
  });

  test("finds the binding of a server that another copy of the package has made", () => {
    const binding = { revisions: [] };
    expect(bindingOf({ [Symbol.for("toolwire.server.binding")]: binding })).toBe(binding);
  });

  test("refuses values that are not servers, and says what was given", () => {
    expect(() => bindingOf({ port: 3000 })).toThrow("an object with port");
    expect(() => bindingOf(Promise.resolve(server), "serveBus(server)")).toThrow(/as in serveBus\(server\).*await it/);
  });
});
