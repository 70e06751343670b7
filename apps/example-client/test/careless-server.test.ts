import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runClient } from "./built-programs.ts";

const SERVER = `node "${fileURLToPath(new URL("./fixtures/careless-server.mjs", import.meta.url))}"`;

describe("a server that is careless with its content", () => {
  test.each(["image", "audio", "link", "resource", "text"])("violates the protocol: %s", async (name) => {
    const { code, stderr } = await runClient(["call", SERVER, name]);
    expect(stderr).toContain("The server broke the protocol (INVALID_RESULT)");
    expect(code).toBe(2);
  });

  test.each([[[]], [["--json"]]])("sends no control characters to the terminal, with %j", async (flags) => {
    const { code, stdout } = await runClient(["call", SERVER, "controls", ...flags]);
    expect(stdout).toContain("\\u009b31mRED\\u007f");
    expect(stdout).not.toMatch(/[\u007F-\u009F]/);
    expect(code).toBe(0);
  });

  test("has its name shown as what it is", async () => {
    const { code, stdout } = await runClient(["init", SERVER]);
    expect(stdout).toContain('"toString": 5');
    expect(code).toBe(0);
  });

  test("still has its lists shown", async () => {
    const { code, stdout } = await runClient(["list", SERVER]);
    expect(stdout).toContain('"toString": 5');
    expect(code).toBe(0);
  });
});
