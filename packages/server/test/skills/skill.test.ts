import { readFrontmatter } from "@toolwire/protocol/frontmatter";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { skill, skills, type FixedSkillOptions } from "../../src/skills/index.ts";
import { createServer } from "../../src/index.ts";

const frontmatter = { name: "pdf", description: "Fill in forms" };

/** The text of the `SKILL.md` of a skill. */
function textOf(options: FixedSkillOptions): string | undefined {
  return skill(options).files.get("SKILL.md")?.read().text;
}

describe("skill()", () => {
  test("writes SKILL.md of front matter and body", () => {
    const text = textOf({ frontmatter: { ...frontmatter, metadata: { version: "1.0" } }, body: "# PDF\n" });
    expect(text).toBe('---\nname: "pdf"\ndescription: "Fill in forms"\nmetadata: {"version":"1.0"}\n---\n\n# PDF\n');
  });

  test("writes front matter that readers of YAML read as it was given", () => {
    const fields = fc.dictionary(fc.string({ unit: "binary", maxLength: 20 }), fc.jsonValue({ stringUnit: "binary" }));
    fc.assert(
      fc.property(fields, fc.string({ unit: "binary" }), (more, body) => {
        fc.pre(["compatibility", "allowed-tools", "license", "metadata"].every((key) => !Object.hasOwn(more, key)));
        const given = { ...more, ...frontmatter };
        const read = readFrontmatter(textOf({ frontmatter: given, body }) ?? "");
        expect(read).toStrictEqual({ fields: JSON.parse(JSON.stringify(given)) as object, body: `\n${body}` });
      }),
    );
  });

  test("serves a source as it is", () => {
    const source = "\uFEFF---\r\nname: pdf\r\ndescription: Fill in forms\r\n---\r\n# PDF\r\n";
    expect(textOf({ frontmatter, source })).toBe(source);
    expect(textOf({ frontmatter, source: new TextEncoder().encode(source) })).toBe(source);
  });

  test("is not changed by whoever changes what it was given", () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const fields = { ...frontmatter, tags: ["a"] };
    const { files, frontmatter: kept } = skill({ frontmatter: fields, body: "", files: { "a.bin": bytes } });
    bytes[0] = 9;
    fields.tags.push("b");
    expect(files.get("a.bin")?.bytes[0]).toBe(1);
    expect(kept["tags"]).toStrictEqual(["a"]);
  });

  test.each([
    ["a.md", "text/markdown"],
    ["a.PNG", "image/png"],
    ["a.py", "text/plain"],
    ["LICENSE", "text/plain"],
    ["a.b/c", "text/plain"],
  ])("tells the type of %s by its name", (path, mimeType) => {
    const { files } = skill({ frontmatter, body: "", files: { [path]: "text" } });
    expect(files.get(path)?.mimeType).toBe(mimeType);
  });

  test("tells the type of other files by their contents, or as it is told", () => {
    const { files } = skill({
      frontmatter,
      body: "",
      files: { a: new Uint8Array([255]), b: new Uint8Array([97, 0]), c: { contents: "", mimeType: "text/x-own" } },
    });
    expect([...files.values()].map(({ mimeType }) => mimeType)).toStrictEqual([
      "text/markdown",
      "application/octet-stream",
      "application/octet-stream",
      "text/x-own",
    ]);
  });

  test.each<[string, unknown, string]>([
    ["no front matter", undefined, "`frontmatter` must be an object"],
    ["no name", { description: "d" }, "`name` must be 1 to 64 lower-case letters"],
    ["an upper-case name", { name: "PDF", description: "d" }, '"PDF"'],
    ["a name that begins with a hyphen", { name: "-a", description: "d" }, '"-a"'],
    ["a name with two hyphens in a row", { name: "a--b", description: "d" }, '"a--b"'],
    ["a name of 65 characters", { name: "a".repeat(65), description: "d" }, "`name` must be"],
    ["no description", { name: "a" }, "`description` is missing"],
    ["an empty description", { name: "a", description: " " }, "`description` must be text of 1 to 1024"],
    ["a description of 1025 characters", { name: "a", description: "ä".repeat(1025) }, "`description` must be text"],
    ["a compatibility of 501 characters", { ...frontmatter, compatibility: "a".repeat(501) }, "`compatibility` must"],
    ["a license that is no text", { ...frontmatter, license: 1 }, "`license` must be text"],
    ["allowed-tools that are no text", { ...frontmatter, "allowed-tools": ["Bash"] }, "`allowed-tools` must be text"],
    ["metadata that are no map", { ...frontmatter, metadata: ["a"] }, "`metadata` must map names to values"],
    ["a date", { ...frontmatter, created: new Date(0) }, "`frontmatter.created` must be something that JSON can say"],
    ["infinity", { ...frontmatter, more: [{ n: Infinity }] }, "`frontmatter.more[0].n` must be something"],
    ["half of a surrogate pair", { ...frontmatter, more: "\ud800" }, "half of a surrogate pair"],
    ["a very long name of a field", { ...frontmatter, ["a".repeat(300)]: 1 }, "a name of more than 256 characters"],
    ["too much", { ...frontmatter, more: "a".repeat(40_000) }, "more than 32768 characters"],
  ])("refuses %s", (_, given, message) => {
    expect(() => skill({ frontmatter: given as never, body: "" })).toThrow(message);
  });

  test("refuses nesting that readers of YAML would not follow", () => {
    let nested: unknown = 1;
    for (let depth = 0; depth < 50; depth += 1) nested = [nested];
    expect(() => skill({ frontmatter: { ...frontmatter, nested: nested as never }, body: "" })).toThrow("levels deep");
  });

  test("refuses metadata keys that are reserved for extensions of the protocol", () => {
    const metadata = { "io.modelcontextprotocol/verified": "yes" };
    expect(() => skill({ frontmatter: { ...frontmatter, metadata }, body: "" })).toThrow(
      'the key "io.modelcontextprotocol/verified", and names that begin with "io.modelcontextprotocol/" are reserved',
    );
  });

  test("the last part of a path MUST be the name of the skill", () => {
    expect(skill({ path: "acme/forms/pdf", frontmatter, body: "" }).path).toBe("acme/forms/pdf");
    expect(() => skill({ path: "acme/forms", frontmatter, body: "" })).toThrow('let the path end in "/pdf"');
  });

  test.each(["/pdf", "a//pdf", "../pdf", "a/./pdf", "a\\pdf", "", "a\0/pdf", `${"a/".repeat(600)}pdf`])(
    "refuses the path %j",
    (path) => {
      expect(() => skill({ path, frontmatter, body: "" })).toThrow("`path` must be a relative path");
    },
  );

  test.each<[string, object, string]>([
    ["a path that leads out", { files: { "../a": "" } }, "must be a relative path"],
    ["an absolute path", { files: { "/a": "" } }, "must be a relative path"],
    ["a file in a file", { files: { a: "", "a/b": "" } }, '"a" is a file, and "a/b" needs it to be a folder'],
    ["a file in SKILL.md", { files: { "SKILL.md/b": "" } }, '"SKILL.md" is a file'],
    ["a second SKILL.md", { files: { "SKILL.md": "" } }, "leave it out, or give it as `source`"],
    ["a file that is a number", { files: { a: 1 } }, 'The file "a" of a skill must be text'],
    ["a file with half of a surrogate pair", { files: { a: "\udc00" } }, "without halves of surrogate pairs"],
    ["a list of files", { files: ["a"] }, "must map paths to files"],
    ["a body and a source", { source: "" }, "needs either a `body` or a `source`"],
    ["a SKILL.md that is no text", { body: undefined, source: new Uint8Array([255]) }, "must be text in UTF-8"],
    ["an option that does not exist", { description: "d" }, "skill has no option `description`"],
  ])("refuses %s", (_, more, message) => {
    expect(() => skill({ frontmatter, body: "", ...more } as never)).toThrow(message);
  });

  test("refuses what is larger than hosts have to accept, and takes what is as large", () => {
    const names = (count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}.txt`, ""]));
    expect(skill({ frontmatter, body: "", files: names(511) }).files.size).toBe(512);
    expect(() => skill({ frontmatter, body: "", files: names(512) })).toThrow("has 513 files of");
    const rest = 16 * 1024 * 1024 - (skill({ frontmatter, body: "" }).files.get("SKILL.md")?.size ?? 0);
    skill({ frontmatter, body: "", files: { a: new Uint8Array(rest) } });
    expect(() => skill({ frontmatter, body: "", files: { a: new Uint8Array(rest + 1) } })).toThrow("16777217 bytes");
  });
});

describe("skills() refuses", () => {
  const pdf = skill({ frontmatter, body: "" });

  test("two skills at one path", () => {
    expect(() => skills([pdf, skill({ frontmatter, body: "other" })])).toThrow('two skills at the path "pdf"');
  });

  test("a skill with another file than the skill within it", () => {
    const inner = skill({ path: "pdf/a/forms", frontmatter: { ...frontmatter, name: "forms" }, body: "" });
    const outer = skill({ frontmatter, body: "", files: { "a/forms/SKILL.md": "other" } });
    expect(() => skills([outer, inner])).toThrow('have different contents for "pdf/a/forms/SKILL.md"');
  });

  test("a skill that is made for each reader within one that is not", () => {
    const inner = skill({ path: "pdf/forms", frontmatter: { ...frontmatter, name: "forms" }, body: () => "" });
    expect(() => skills([pdf, inner])).toThrow("cannot say what its files are");
  });

  test("a skill that is too large with the skills within it", () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}.txt`, ""]));
    const inner = skill({ path: "pdf/forms", frontmatter: { ...frontmatter, name: "forms" }, body: "", files });
    expect(() => skills([skill({ frontmatter, body: "", files }), inner])).toThrow("has 602 files");
  });

  test("callers who see different skills and a cache that they share", () => {
    expect(() => skills([pdf], { allows: () => true, cache: { scope: "public" } })).toThrow("cache.scope");
  });

  test.each(["skill:", "skill", "skill://a/", "skill://a b", "skill://a?b", "skill://a#b", "://a", "skill://{x}"])(
    "the root %j",
    (root) => {
      expect(() => skills([pdf], { root })).toThrow("`root` must be a scheme");
    },
  );

  test("what is no skill", () => {
    expect(() => skills([{}] as never)).toThrow("takes an array of what `skill()` returns");
    expect(() => skills("skills" as never)).toThrow("takes an array of what `skill()` returns");
  });

  test("options that do not exist, or do not fit", () => {
    expect(() => skills([pdf], { pageSize: 0 })).toThrow("`pageSize`");
    expect(() => skills([pdf], { cache: { ttlMs: -1 } })).toThrow("`cache.ttlMs`");
    expect(() => skills([pdf], { directoryReads: true } as never)).toThrow("Did you mean `directoryRead`?");
    expect(() => skills([pdf], { allows: true as never })).toThrow("`allows` must be a function");
  });

  test("to be given to a server twice", () => {
    const twice = { name: "a", version: "1", extensions: [skills([pdf]), skills([pdf])] };
    expect(() => createServer(twice)).toThrow("io.modelcontextprotocol/skills");
  });
});
