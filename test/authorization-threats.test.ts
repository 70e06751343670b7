/** The table of threats to authorization names the tests that prove each defence: they have to exist. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const ROOT = new URL("../", import.meta.url);
const THREATS = 37;

/** A file, and the title of a test in it. */
const REFERENCE = /`([\w./-]+\.(?:test|test-d)\.ts)` › ([^<|]+)/g;

/** One threat, with its proofs. */
interface Threat {
  readonly number: number;
  readonly proofs: readonly { readonly file: string; readonly title: string }[];
}

const threats = readFileSync(new URL("docs/authorization-threats.md", ROOT), "utf8")
  .split("\n")
  .flatMap((line): Threat[] => {
    const [, number = "", , , proof = ""] = line.split("|").map((cell) => cell.trim());
    const found = [...proof.matchAll(REFERENCE)].map(([, file = "", title = ""]) => ({ file, title: title.trim() }));
    return /^\d+$/.test(number) ? [{ number: Number(number), proofs: found }] : [];
  });

test("the table has every threat once, in order, each with a proof", () => {
  expect(threats.map(({ number }) => number)).toEqual(Array.from({ length: THREATS }, (_, index) => index + 1));
  expect(threats.filter(({ proofs }) => proofs.length === 0)).toEqual([]);
});

describe.each(threats)("threat $number", ({ number, proofs }) => {
  test.each(proofs)("$file has a test: $title", ({ file, title }) => {
    expect(existsSync(new URL(file, ROOT)), `${file} does not exist`).toBe(true);
    const titles = titlesOf(file);
    expect(titles, `${file} has no test with this title`).toContain(title);
    if (title.startsWith("threat ")) expect(title).toMatch(new RegExp(`^threat ${number}: `));
  });
});

test("every test that names a threat is of one in the table", () => {
  const numbers = new Set(threats.map(({ number }) => number));
  const folder = "packages/client/test/auth/";
  const files = readdirSync(new URL(folder, ROOT), { recursive: true, encoding: "utf8" });
  const named = files
    .filter((file) => /\.test(?:-d)?\.ts$/.test(file))
    .flatMap((file) => titlesOf(`${folder}${file}`))
    .flatMap((title) => /^threat (\d+)/.exec(title)?.[1] ?? []);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((number) => !numbers.has(Number(number)))).toEqual([]);
});

/** The titles of tests in a file: texts that are handed to a function, and nothing in a comment. */
function titlesOf(file: string): string[] {
  const source = readFileSync(new URL(file, ROOT), "utf8").replaceAll(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, "");
  const calls = /\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*,/g;
  return [...source.matchAll(calls)].map(([, double, single]) => double ?? single ?? "");
}
