import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findNode } from "../../src/fetch/find-node.ts";

const running = process.versions.node;
const major = Number.parseInt(running);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "find-node-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("the fetched Node is preferred to the one that is running", () => {
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", "node"), "");
  const packages = { directory: folder, find: () => ({ folder, manifest: { version: "99.0.0" } }) };

  expect(findNode(packages, major, "a program")).toEqual({ node: join(folder, "bin", "node"), nodeVersion: "99.0.0" });
});

test("the running Node is used if none was fetched, and if it is new enough", () => {
  const none = { directory: folder, find: () => undefined };
  const withoutProgram = { directory: folder, find: () => ({ folder, manifest: { version: "99.0.0" } }) };
  const own = { node: process.execPath, nodeVersion: running };

  expect(findNode(none, major, "a program")).toEqual(own);
  expect(findNode(withoutProgram, major, "a program")).toEqual(own);
  expect(() => findNode(none, major + 1, "a program")).toThrow(
    new RegExp(`^To run a program, Node ${major + 1} is needed. .* this is Node ${running}`),
  );
});
