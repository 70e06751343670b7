import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findDifference, readFrontmatter } from "../../src/frontmatter/index.ts";

const file = (yaml: string, body = "\n# Body\n"): string => `---\n${yaml}\n---\n${body}`;

function problemOf(text: string): string {
  const read = readFrontmatter(text);
  return "problem" in read ? `${read.line}:${read.column} ${read.problem}` : "read";
}

describe("readFrontmatter()", () => {
  test("reads the fields, and what follows them", () => {
    const text = file("name: pdf\ndescription: Fill in forms\nmetadata:\n  version: '1.0'\n  tags: [a, b]");
    expect(readFrontmatter(text)).toStrictEqual({
      fields: { name: "pdf", description: "Fill in forms", metadata: { version: "1.0", tags: ["a", "b"] } },
      body: "\n# Body\n",
    });
  });

  test.each([
    ["line breaks of Windows", "---\r\nname: pdf\r\n---\r\nBody"],
    ["a byte order mark", "\uFEFF---\nname: pdf\n---\nBody"],
    ["blanks after the hyphens", "--- \t\nname: pdf\n---  \nBody"],
    ["a second line of hyphens at the end of the file", "---\nname: pdf\n---"],
  ])("reads files with %s", (_, text) => {
    expect(readFrontmatter(text)).toMatchObject({ fields: { name: "pdf" }, body: expect.stringMatching(/^(Body)?$/) });
  });

  test("reads YAML 1.2, in which words and dates are texts", () => {
    expect(readFrontmatter(file("a: yes\nb: 2026-01-01\nc: 0o10\n<<: text"))).toMatchObject({
      fields: { a: "yes", b: "2026-01-01", c: 8, "<<": "text" },
    });
  });

  test("resolves aliases", () => {
    expect(readFrontmatter(file("a: &x [1]\nb: *x"))).toMatchObject({ fields: { a: [1], b: [1] } });
  });

  test("reads back whatever can be said in JSON", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (fields) => {
        const read = readFrontmatter(file(JSON.stringify(fields)));
        expect("fields" in read && findDifference(fields, read.fields)).toBe(undefined);
      }),
    );
  });

  test.each([
    ["# Title", "1:1 It does not begin with front matter"],
    ["", "1:1 It does not begin with front matter"],
    ["\n---\nname: a\n---\n", "1:1 It does not begin with front matter"],
    ["---\nname: a\n", "1:1 It does not begin with front matter"],
    ["----\nname: a\n----\n", "1:1 It does not begin with front matter"],
    ["---\n---\n", "has no fields"],
    [file("- a"), "2:1 Its front matter has no fields"],
    [file("text"), "2:1 Its front matter has no fields"],
    [file("a: 1\nb: [1"), "Its front matter is not valid YAML"],
    [file("a: b: c"), "2:4 Its front matter is not valid YAML"],
    [file("name: a\nmore:\n  x: 1\n  x: 2"), "5:3 Its front matter has the field `x` twice."],
    [file("a: *x"), "2:1 Its front matter has an alias without an anchor"],
    [file("a: 1\nb: .inf"), "3:1 `b` is something that JSON cannot say."],
    [file("a: 1\nb:\n  - c: .nan"), "3:1 `b[0].c` is something that JSON cannot say."],
    [file("a: !!set {b}"), "2:1 `a` is something that JSON cannot say."],
    [file("a: !mine b"), "2:4 Its front matter is not valid YAML: Unresolved tag: !mine."],
    [file("a: 1\n...\nb: 2"), "Its front matter is more than one YAML document."],
    [file("a: 1\n--- {b: 2}"), "Its front matter is more than one YAML document."],
    [file("%YAML 1.1"), "Its front matter is not valid YAML"],
  ])("says what is wrong, and where: %j", (text, problem) => {
    expect(problemOf(text)).toContain(problem);
  });

  test("keeps a field called __proto__ to itself", () => {
    const read = readFrontmatter(file("__proto__: {polluted: true}\nname: a"));
    expect(read).toHaveProperty(["fields", "name"], "a");
    expect({}).not.toHaveProperty("polluted");
    expect("fields" in read && Object.hasOwn(read.fields, "__proto__")).toBe(true);
    expect("fields" in read && Object.getPrototypeOf(read.fields)).toBe(Object.prototype);
  });

  test.each([
    ["lists in lists", file(`a: ${"[".repeat(30_000)}`)],
    ["maps in maps", file(`a: ${"{a: ".repeat(15_000)}`)],
    ["sequences on one line", file(`a:\n  ${"- ".repeat(30_000)}`)],
    ["keys on one line", file("? ".repeat(30_000))],
    [
      "maps on lines of their own",
      file(Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")),
    ],
    [
      "aliases of aliases",
      file(
        `a: &a [x]\n${"bcdefghij".replaceAll(/./g, (k) => `${k}: &${k} [*${String.fromCharCode(k.charCodeAt(0) - 1)}${`, *${String.fromCharCode(k.charCodeAt(0) - 1)}`.repeat(9)}]\n`)}`,
      ),
    ],
    ["a list that contains itself", file("a: &a [*a]")],
    ["a mebibyte", file(`a: ${"x".repeat(1024 * 1024)}`)],
  ])("refuses %s", (_, text) => {
    expect(problemOf(text)).toMatch(/levels deep|aliases|JSON cannot say|characters/);
  });
});

describe("findDifference()", () => {
  test.each([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, undefined],
    [{ a: [1, { b: null }] }, { a: [1, { b: null }] }, undefined],
    [{ a: 1 }, { a: 1, b: undefined }, "b"],
    [{ a: 1, b: 2 }, { a: 1 }, "b"],
    [{ a: { b: "1" } }, { a: { b: 1 } }, "a.b"],
    [{ a: [1, 2] }, { a: [1] }, "a"],
    [{ a: [1, 2] }, { a: [1, 3] }, "a[1]"],
    [{ a: [] }, { a: {} }, "a"],
    [{ a: {} }, { a: [] }, "a"],
    [{ a: null }, { a: {} }, "a"],
    [{ toString: "a" }, {}, "toString"],
    [{}, { constructor: 1 }, "constructor"],
  ])("names the first place at which values differ: %j and %j", (expected, found, place) => {
    expect(findDifference(expected, found)).toBe(place);
  });
});
