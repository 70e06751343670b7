import fc from "fast-check";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { explainUnset, fillIn, hasReferences, lookUp, parseReferences } from "../../src/config/references.ts";

test("a text is split at its references", () => {
  expect(parseReferences("Bearer ${env:TOKEN}.${secret:key-1}${file:a/b.txt}!")).toEqual([
    { kind: "text", text: "Bearer " },
    { kind: "env", name: "TOKEN" },
    { kind: "text", text: "." },
    { kind: "secret", name: "key-1" },
    { kind: "file", name: "a/b.txt" },
    { kind: "text", text: "!" },
  ]);
});

test("two dollar signs before a brace are a literal one", () => {
  expect(parseReferences("$${env:TOKEN}")).toEqual([{ kind: "text", text: "${env:TOKEN}" }]);
});

test.each(["${TOKEN}", "${environment:X}", "${env:}", "${env:1X}", "${secret:a b}"])(
  "the reference %j is refused with advice",
  (text) => {
    expect(parseReferences(text)).toMatch(/reference/i);
  },
);

test("a text without references stays as it is, whatever it contains", () => {
  fc.assert(
    fc.property(
      fc.string().filter((text) => !text.includes("${")),
      (text) => {
        expect(fillIn(text, { env: {}, folder: "." })).toEqual({ text, hidden: [] });
        expect(hasReferences(text)).toBe(false);
      },
    ),
  );
});

test("a text is read in time that grows with its length", () => {
  expect(parseReferences("${".repeat(100_000))).toHaveLength(1);
});

test("names of prototypes are no environment variables", () => {
  expect(lookUp({ kind: "env", name: "constructor" }, { env: {}, folder: "." })).toBeUndefined();
});

test("a line break at the end of a file is not part of the value", () => {
  const folder = mkdtempSync(join(tmpdir(), "references-"));
  writeFileSync(join(folder, "key"), "value\n");
  expect(lookUp({ kind: "file", name: "key" }, { env: {}, folder })).toBe("value");
  expect(lookUp({ kind: "file", name: "absent" }, { env: {}, folder })).toBeUndefined();
});

test("references that are not set are named, and where to set them", () => {
  expect(fillIn("${env:NOT_SET}", { env: {}, folder: "." })).toEqual({
    problem: "${env:NOT_SET} is not set. Set the environment variable NOT_SET before the gateway starts.",
  });
  expect(explainUnset({ kind: "secret", name: "stripe" })).toContain("toolwire-gateway secret set stripe");
});

test("a secret cannot be a part of a URL", () => {
  expect(fillIn("https://x/${secret:key}", { env: {}, folder: "." })).toHaveProperty("problem");
});
