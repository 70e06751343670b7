/**
 * Every regular expression in the packages is tried on hostile texts, and none may take more than linear time. They are
 * found in the sources, so that a new one cannot be forgotten. Those that are made at run time (`new RegExp`) are tested where
 * they are used: patterns and formats of JSON Schema, escapes in results, paths in URIs.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { makeHostileTexts } from "./hostile-texts.ts";
import { findFirstExcess } from "./linear-growth.ts";

/** Comments, strings and templates, which are passed over; and, in the group, regular expressions where one can begin. */
const TOKEN =
  /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|(?<=(?:^|[(=,:[!&|?{};>\n]|\breturn)\s*)(\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*)/g;

/** Regular expressions that may take longer, with what keeps their texts short, or who writes them. */
const SHORT_TEXTS: Readonly<Record<string, string>> = {
  "/[REA]N*$/": "a label of a host name, of at most 126 characters",
  "/[LE]N*$/": "a label of a host name, of at most 126 characters",
  "/E.*A|A.*E/": "a label of a host name, of at most 126 characters",
  "/\\[[^\\]]*\\]/": "an authority that has at most one bracket of either kind, as was found out before",
  '/(\\\\*)"/g': "an argument of a program, by the application",
  "/(\\\\+)$/": "an argument of a program, by the application",
  "/[.\\s]+$/": "a message of an error, by the platform",
};

interface Found {
  readonly file: string;
  readonly literal: string;
}

function findLiterals(name: string): Found[] {
  const folder = new URL(`../packages/${name}/src/`, import.meta.url);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      [...readSource(new URL(file, folder)).matchAll(TOKEN)].flatMap(([, literal]) =>
        literal === undefined ? [] : [{ file: `${name}/${file}`, literal }],
      ),
    );
}

/** The text of a source, without the line that tells a system which program runs it. */
function readSource(file: URL): string {
  return readFileSync(file, "utf8").replace(/^#!.*/, "");
}

/** The use of the expression: to find all places in a text, or the first. */
function compile(literal: string): (text: string) => void {
  const end = literal.lastIndexOf("/");
  const expression = new RegExp(literal.slice(1, end), literal.slice(end + 1));
  if (expression.global) return (text) => void text.replaceAll(expression, "");
  return (text) => {
    expression.lastIndex = 0;
    expression.test(text);
  };
}

/** The fixed parts of an expression, behind which its repetitions begin. */
function listBeginnings(literal: string): string[] {
  const plain = literal.replaceAll(/\\([^a-zA-Z0-9])/g, "$1").match(/[\w"%:;=@#./-]{2,}/g) ?? [];
  return [...new Set(plain)].slice(0, 3);
}

const literals = ["json-schema", "protocol", "server", "client", "openapi", "gateway"].flatMap(findLiterals);

describe("regular expressions", () => {
  test("are found in the sources, and those that are excused are still there", () => {
    expect(literals.length).toBeGreaterThan(100);
    const all = new Set(literals.map(({ literal }) => literal));
    expect(Object.keys(SHORT_TEXTS).filter((literal) => !all.has(literal))).toEqual([]);
  });

  test.each(literals.filter(({ literal }) => !(literal in SHORT_TEXTS)))(
    "$literal takes time in proportion to the text ($file)",
    ({ literal }) => {
      const texts = makeHostileTexts("", ...listBeginnings(literal));
      expect(findFirstExcess(texts, compile(literal))).toBeUndefined();
    },
    120_000,
  );
});
