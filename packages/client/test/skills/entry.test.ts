import { expect, test } from "vitest";
import { isInFolder, readEntry } from "../../src/skills/entry.ts";

const digest = `sha256:${"0".repeat(64)}`;
const uri = "skill://acme/pdf/SKILL.md";
const entry = {
  uri,
  frontmatter: { name: "pdf", description: "Fill in forms", metadata: { version: "1" } },
  resources: [
    { uri, digest, size: 10 },
    { uri: "skill://acme/pdf/a%20b/é.md", digest, size: 0 },
  ],
};

test("readEntry() reads what a server lists, into a copy that does not change", () => {
  const given = structuredClone(entry);
  const read = readEntry({ ...given, extra: 1 });
  given.frontmatter.metadata.version = "2";
  given.resources.length = 0;
  expect(read).toStrictEqual(entry);
  expect(() => Object.assign(read.frontmatter, { name: "other" })).toThrow(TypeError);
  expect(() => (read.resources as object[]).push({})).toThrow(TypeError);
  expect(readEntry({ ...entry, resources: "dynamic" }).resources).toBe("dynamic");
});

test("readEntry() keeps fields called __proto__ to themselves", () => {
  const frontmatter = JSON.parse('{"name":"pdf","description":"d","__proto__":{"polluted":true}}') as object;
  const read = readEntry({ ...entry, frontmatter });
  expect(Object.getPrototypeOf(read.frontmatter)).toBe(Object.prototype);
  expect(read.frontmatter).not.toHaveProperty("polluted");
});

const file = (more: object): object => ({
  resources: [...entry.resources, { uri: "skill://acme/pdf/x", digest, size: 1, ...more }],
});
let deep: unknown = 1;
for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];

test.each<[string, unknown, string]>([
  ["nothing", undefined, "its `uri` is not that of a SKILL.md"],
  ["a list", [], "its `uri` is not that of a SKILL.md"],
  ["no URI", { uri: undefined }, "its `uri` is not that of a SKILL.md"],
  ["a URI of another file", { uri: "skill://acme/pdf/README.md" }, "its `uri` is not that of a SKILL.md"],
  ["a URI without a folder", { uri: "skill://SKILL.md" }, "its `uri` is not that of a SKILL.md"],
  ["a path", { uri: "/acme/pdf/SKILL.md" }, "its `uri` is not that of a SKILL.md"],
  ["a URI that leads elsewhere", { uri: "skill://acme/../pdf/SKILL.md" }, "its `uri` leads elsewhere"],
  ["a URI that leads elsewhere, encoded", { uri: "skill://acme/%2E%2e/pdf/SKILL.md" }, "its `uri` leads elsewhere"],
  ["a URI with an encoded slash", { uri: "skill://acme%2fpdf/SKILL.md" }, "its `uri` leads elsewhere"],
  ["a URI with a query", { uri: "skill://acme?/pdf/SKILL.md" }, "its `uri` leads elsewhere"],
  ["a URI with invisible characters", { uri: "skill://a\u202Ecme/pdf/SKILL.md" }, "its `uri` leads elsewhere"],
  ["an endless URI", { uri: `skill://${"a/".repeat(5000)}pdf/SKILL.md` }, "its `uri` is not that of a SKILL.md"],
  ["no front matter", { frontmatter: null }, "it has no `frontmatter`"],
  ["no name", { frontmatter: { description: "d" } }, "its `name` is not made of"],
  ["a name that leads elsewhere", { frontmatter: { name: "../x", description: "d" } }, "its `name` is not made of"],
  ["another name than its folder", { frontmatter: { name: "doc", description: "d" } }, "its folder is not called doc"],
  ["no description", { frontmatter: { name: "pdf" } }, "it has no `description`"],
  ["endless front matter", { frontmatter: { ...entry.frontmatter, deep } }, "nested more than 32 levels deep"],
  ["no resources", { resources: undefined }, '`resources` is neither a list nor "dynamic"'],
  ["resources of another kind", { resources: "static" }, '`resources` is neither a list nor "dynamic"'],
  ["resources without SKILL.md", { resources: [entry.resources[1]] }, "SKILL.md is not among its files"],
  ["a file twice", { resources: [...entry.resources, entry.resources[1]] }, "is listed twice"],
  ["a file that is null", { resources: [null] }, "a file has no `uri`"],
  ["a file of another skill", file({ uri: "skill://acme/pdf-2/x" }), "is not in its folder"],
  ["a file of another server", file({ uri: "https://example.com/x" }), "is not in its folder"],
  ["a file that leads out", file({ uri: "skill://acme/pdf/../x" }), "is not in its folder"],
  ["the folder itself", file({ uri: "skill://acme/pdf/" }), "is not in its folder"],
  ["a file without a digest", file({ digest: undefined }), "has no digest of SHA-256"],
  ["a digest in upper case", file({ digest: `sha256:${"A".repeat(64)}` }), "has no digest of SHA-256"],
  ["a digest of another kind", file({ digest: `md5:${"0".repeat(32)}` }), "has no digest of SHA-256"],
  ["a file without a size", file({ size: undefined }), "has no size"],
  ["a size below zero", file({ size: -1 }), "has no size"],
  ["half a byte", file({ size: 0.5 }), "has no size"],
])("readEntry() refuses %s", (_, more, message) => {
  const given = typeof more === "object" && more !== null && !Array.isArray(more) ? { ...entry, ...more } : more;
  let error: unknown;
  try {
    readEntry(given);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ name: "SkillError", code: "INVALID_SKILL" });
  expect((error as Error).message).toContain(message);
  // Words of the server are cut, and cannot control a terminal.
  expect((error as Error).message.length).toBeLessThan(1000);
  expect((error as Error).message).not.toMatch(/\p{Cf}/u);
});

test.each([
  ["skill://a/pdf/x", true],
  ["skill://a/pdf/x/y%20z.md", true],
  ["skill://a/pdf/...", true],
  ["skill://a/pdf/.hidden", true],
  ["skill://a/pdf", false],
  ["skill://a/pdf/", false],
  ["skill://a/pdf//x", false],
  ["skill://a/pdf/x/", false],
  ["skill://a/pdf/.", false],
  ["skill://a/pdf/x/..", false],
  ["skill://a/pdf/%2e./x", false],
  ["skill://a/pdf/x%5cy", false],
  ["skill://a/pdf/x\\y", false],
  ["skill://a/pdf/x#y", false],
  ["skill://a/pdfx/y", false],
])("isInFolder() knows whether %s is in the folder of a skill", (given, expected) => {
  expect(isInFolder("skill://a/pdf/SKILL.md", given)).toBe(expected);
});
