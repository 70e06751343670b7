import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ModernTests } from "../../scripts/modern-tests.mjs";

/** Reads the first of some files. */
function read(files: Record<string, string>): ReturnType<ModernTests["read"]> {
  const root = mkdtempSync(join(tmpdir(), "toolwire-modern-tests-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return new ModernTests(root).read(Object.keys(files)[0] ?? "");
}

test("a case that names the legacy era is cut, and a comment does not name it", () => {
  const text = 'test("one", () => {});\n\n// Not legacy.\ntest("two", () => {});\ntest("legacy", () => {});\n';

  expect(read({ "test/a.test.ts": text })).toEqual({
    all: 3,
    kept: 2,
    isModern: true,
    text: 'test("one", () => {});\n\n// Not legacy.\ntest("two", () => {});\n\n',
  });
});

test("a case is cut if a function that it calls leads to the legacy era, even in another file", () => {
  const { kept, text } = read({
    "test/a.test.ts": [
      'import { ask, open } from "./helper.ts";',
      "const connect = () => open();",
      'test("one", () => ask());',
      'test("two", () => connect());',
    ].join("\n"),
    "test/helper.ts": 'export function ask() {}\nexport function open() { return "initialize"; }\n',
  });

  expect(kept).toBe(1);
  expect(text).toContain('"one"');
  expect(text).not.toContain('"two"');
});

test("a suite stays without its cases of the legacy era, and goes if it has no others", () => {
  const { all, kept, text } = read({
    "test/a.test.ts": [
      'describe("mixed", () => {\n  test("one", () => {});\n  test.each([1])("legacy", () => {});\n});',
      'describe("alone", () => {\n  test("legacy", () => {});\n});',
      'describe("legacy", () => {\n  test("two", () => {});\n});',
    ].join("\n"),
  });

  expect([all, kept]).toEqual([4, 1]);
  expect(text.trim()).toBe('describe("mixed", () => {\n  test("one", () => {});\n  \n});');
});

test("nothing is left of a file whose hook leads to the legacy era, or that is in a folder of it", () => {
  const text = 'beforeEach(() => openLegacy());\ntest("one", () => {});\n';

  expect(read({ "test/a.test.ts": text })).toMatchObject({ all: 1, kept: 0, isModern: false });
  expect(read({ "test/legacy/a.test.ts": 'test("one", () => {});\n' })).toMatchObject({ kept: 0, isModern: false });
});

test("a case is cut if it starts a program of the legacy era", () => {
  const { kept } = read({
    "test/a.test.ts": 'const program = "./program.ts";\ntest("one", () => start(program));\ntest("two", () => {});\n',
    "test/program.ts": 'send("initialize");\n',
  });

  expect(kept).toBe(1);
});

test("a file whose cases come from a helper stays if it does not name the legacy era", () => {
  expect(read({ "test/a.test.ts": 'register("a thing");\n' })).toMatchObject({ all: 0, kept: 0, isModern: true });
  expect(read({ "test/a.test.ts": 'register("legacy");\n' })).toMatchObject({ all: 0, kept: 0, isModern: false });
});
