import { mkdir, mkdtemp, realpath, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { createServer as createListener } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createServer } from "../../src/index.ts";
import { skills, skillUri } from "../../src/skills/index.ts";
import { openSkillsFolder, type SkillsFolderChange, type SkillsFolderOptions } from "../../src/skills-folder/index.ts";
import { defer, ModernClient, type Json } from "../wire-client.ts";

const hasLinks = process.platform !== "win32";

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "toolwire-skills-")));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(path: string, contents: string | Uint8Array = ""): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), contents);
}

const markdown = (name: string, body = ""): string => `---\nname: ${name}\ndescription: About ${name}\n---\n${body}`;

/** The files of a folder, by skill. */
async function openedFiles(options?: SkillsFolderOptions, at = folder): Promise<Record<string, string[]>> {
  const opened = await openSkillsFolder(at, options);
  return Object.fromEntries(opened.skills.map(({ path, files }) => [path, [...files.keys()].toSorted()]));
}

/** What is said about a folder that cannot be served, with `FOLDER` for its path. */
async function problemOf(options?: SkillsFolderOptions): Promise<string> {
  const error: unknown = await openSkillsFolder(folder, options).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "UsageError", code: "INVALID_DEFINITION" });
  return (error as Error).message.replaceAll(folder, "FOLDER");
}

describe("openSkillsFolder()", () => {
  test("reads every folder with a SKILL.md, however deep, and leaves other files alone", async () => {
    await write("README.md", "# Skills");
    await write("pdf/SKILL.md", markdown("pdf"));
    await write("pdf/references/FORMS.md", "# Forms");
    await write("acme/billing/refunds/SKILL.md", markdown("refunds"));
    await write("acme/billing/notes.md", "Not part of a skill");
    await write("acme/billing/refunds/mails/apology/SKILL.md", markdown("apology"));
    await write("acme/billing/refunds/mails/apology/example.md", "Sorry");
    await write("acme/billing/refunds/mails/list.md", "");
    expect(await openedFiles()).toStrictEqual({
      "acme/billing/refunds": ["SKILL.md", "mails/list.md"],
      "acme/billing/refunds/mails/apology": ["SKILL.md", "example.md"],
      pdf: ["SKILL.md", "references/FORMS.md"],
    });
  });

  test("takes a folder that is a skill itself", async () => {
    await write("pdf/SKILL.md", markdown("pdf"));
    await write("pdf/forms/SKILL.md", markdown("forms"));
    await write("pdf/a.md");
    expect(await openedFiles({}, join(folder, "pdf"))).toStrictEqual({
      pdf: ["SKILL.md", "a.md"],
      "pdf/forms": ["SKILL.md"],
    });
  });

  test("serves the files as they are on the disk", async () => {
    const source =
      "\uFEFF---\r\nname: pdf\r\ndescription: >\r\n  Fill in\r\n  forms\r\nmetadata: {version: '1.0'}\r\n---\r\n# PDF\r\n";
    const image = new Uint8Array([0x89, 0, 255]);
    await write("pdf/SKILL.md", source);
    await write("pdf/logo.png", image);
    const server = createServer({
      name: "a",
      version: "1",
      extensions: [skills(await openSkillsFolder(folder))],
    });
    const client = new ModernClient(server);
    const { skills: listed } = await client.request("skills/list");
    const digest = (bytes: string | Uint8Array): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    expect(listed).toStrictEqual([
      {
        uri: "skill://pdf/SKILL.md",
        frontmatter: { name: "pdf", description: "Fill in forms\n", metadata: { version: "1.0" } },
        resources: [
          { uri: "skill://pdf/SKILL.md", digest: digest(source), size: Buffer.byteLength(source) },
          { uri: "skill://pdf/logo.png", digest: digest(image), size: 3 },
        ],
      },
    ]);
    expect((await client.request("resources/read", { uri: "skill://pdf/SKILL.md" })).contents[0].text).toBe(source);
    expect((await client.request("resources/read", { uri: "skill://pdf/logo.png" })).contents[0].blob).toBe("iQD/");
  });

  test("leaves out hidden files, what tools leave behind, and what it is told to", async () => {
    await write("pdf/SKILL.md", markdown("pdf"));
    for (const path of [".env", ".git/config", "node_modules/a/index.js", "b/__pycache__/c.pyc", "draft.md"]) {
      await write(`pdf/${path}`, "secret");
    }
    await write("old/SKILL.md", "not even front matter");
    const ignore = (path: string): boolean => path === "old" || path.endsWith("draft.md");
    expect(await openedFiles({ ignore })).toStrictEqual({ pdf: ["SKILL.md"] });
  });

  test("an empty folder has no skills", async () => {
    expect(await openedFiles()).toStrictEqual({});
  });

  test("says which folder there is not", async () => {
    await expect(openSkillsFolder(join(folder, "missing"))).rejects.toThrow(`There is no folder ${folder}/missing`);
    await write("file");
    await expect(openSkillsFolder(join(folder, "file"))).rejects.toThrow("is no folder");
    await expect(openSkillsFolder("")).rejects.toThrow("must be the path of a folder");
    await expect(openSkillsFolder(folder, { wach: true } as never)).rejects.toThrow("Did you mean `watch`?");
  });

  test.each([
    ["no front matter", "# PDF", "1:1: It does not begin with front matter"],
    ["a mistake in YAML", "---\nname: pdf\ndescription: a: b\n---\n", "3:14: Its front matter is not valid YAML"],
    ["a field twice", "---\nname: pdf\nname: pdf\n---\n", "3:1: Its front matter has the field `name` twice."],
    ["no name", "---\ndescription: d\n---\n", "1: Its front matter: `name` must be 1 to 64 lower-case"],
    ["a bad name", "---\ndescription: d\nname: PDF\n---\n", "3: Its front matter: `name` must be 1 to 64 lower-case"],
    [
      "a name of its own",
      "---\ndescription: d\nname: forms\n---\n",
      '3: Its `name` is "forms", and must be that of its folder, "pdf".',
    ],
    ["no description", "---\nname: pdf\n---\n", "1: Its front matter: `description` is missing"],
    [
      "a list as description",
      "---\nname: pdf\ndescription:\n  - d\n---\n",
      "3: Its front matter: `description` must be text",
    ],
    [
      "reserved metadata",
      "---\nname: pdf\ndescription: d\nmetadata:\n  io.modelcontextprotocol/a: b\n---\n",
      "4: Its front matter: `metadata` has the key",
    ],
    ["text in another encoding", new Uint8Array([0x2d, 0xff]), " It is not text in UTF-8."],
  ])("names the file and the line of %s", async (_, contents, problem) => {
    await write("pdf/SKILL.md", contents);
    expect(await problemOf()).toContain(`FOLDER/pdf/SKILL.md:${problem}`);
  });

  test("lists all that is wrong at once", async () => {
    await write("a/SKILL.md", "");
    await write("b/SKILL.md", markdown("c"));
    await write("c/skill.md", markdown("c"));
    expect((await problemOf()).split("\n")).toStrictEqual([
      "The skills in FOLDER cannot be served.",
      "FOLDER/c/skill.md: Its name must be SKILL.md, in these letters.",
      expect.stringContaining("FOLDER/a/SKILL.md:1:1: It does not begin with front matter"),
      'FOLDER/b/SKILL.md:2: Its `name` is "c", and must be that of its folder, "b".',
    ]);
  });

  test("does not list mistakes without end", async () => {
    await Promise.all(Array.from({ length: 30 }, (_, index) => write(`a${index}/SKILL.md`)));
    const lines = (await problemOf()).split("\n");
    expect(lines).toHaveLength(22);
    expect(lines.at(-1)).toBe("and 10 more");
  });

  test("refuses what is larger than hosts have to accept, without reading it", async () => {
    await write("pdf/SKILL.md", markdown("pdf"));
    await write("pdf/big.bin");
    await truncate(join(folder, "pdf/big.bin"), 17 * 1024 * 1024);
    expect(await problemOf()).toContain("Hosts need not accept more than 512 files and 16777216 bytes.");
    await truncate(join(folder, "pdf/big.bin"), 2 ** 40);
    expect(await problemOf()).toContain("Raise `maxBytes`, which is 67108864");
  });

  test("refuses more than it may keep in memory", async () => {
    await write("pdf/SKILL.md", markdown("pdf"));
    expect(await problemOf({ maxBytes: 10 })).toContain("FOLDER: Its skills have 41 bytes together");
  });

  test("refuses skills that do not go together", async () => {
    await write("pdf/SKILL.md", markdown("pdf"));
    await write("pdf/forms/SKILL.md", markdown("forms"));
    await Promise.all(
      Array.from({ length: 600 }, (_, index) => write(`pdf/${index % 2 === 0 ? "forms/" : ""}${index}.md`)),
    );
    await expect(openSkillsFolder(folder)).rejects.toThrow('The skill "pdf" has 602 files');
  });

  test("reads files whose names are odd, and keeps them apart", async () => {
    await write("pdf/SKILL.md", markdown("pdf"));
    await write("pdf/__proto__", "a");
    await write("pdf/constructor", "b");
    await write("pdf/a b%20#?.md", "c");
    const { skills: opened } = await openSkillsFolder(folder);
    expect([...(opened[0]?.files.keys() ?? [])].toSorted()).toStrictEqual([
      "SKILL.md",
      "__proto__",
      "a b%20#?.md",
      "constructor",
    ]);
  });
});

describe.runIf(hasLinks)("symbolic links", () => {
  beforeEach(() => write("skills/pdf/SKILL.md", markdown("pdf")));
  const linked = async (target: string, path = "skills/pdf/link"): Promise<string> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(target, join(folder, path));
    const error: unknown = await openSkillsFolder(join(folder, "skills")).catch((thrown: unknown) => thrown);
    return error instanceof Error ? error.message : "served";
  };

  test("that stay in the folder are followed", async () => {
    await write("skills/shared/a.md", "a");
    await symlink("../shared", join(folder, "skills/pdf/shared"));
    await symlink("../shared/a.md", join(folder, "skills/pdf/b.md"));
    expect(await openedFiles({}, join(folder, "skills"))).toStrictEqual({ pdf: ["SKILL.md", "b.md", "shared/a.md"] });
  });

  test("to the folder itself are followed", async () => {
    await symlink("skills", join(folder, "current"));
    expect(await openedFiles({}, join(folder, "current"))).toStrictEqual({ pdf: ["SKILL.md"] });
  });

  test("that lead out are refused: to a file, to a folder, and beside the folder", async () => {
    await write("secret/key", "secret");
    const problem = "pdf/link: It is a symbolic link that leads out of the folder of skills.";
    for (const target of ["../../secret/key", "../../secret", "/etc/passwd", "/"]) {
      expect(await linked(target)).toContain(problem);
      await rm(join(folder, "skills/pdf/link"));
    }
    await write("skills-other/key", "secret");
    expect(await linked("../../skills-other/key")).toContain(problem);
  });

  test("to what is left out are refused", async () => {
    await write("skills/pdf/.env", "secret");
    expect(await linked(".env")).toContain("pdf/link: It is a symbolic link to something that is left out.");
  });

  test("that lead nowhere, or into themselves, are refused", async () => {
    expect(await linked("missing")).toContain("pdf/link: It is a symbolic link that leads nowhere.");
    await rm(join(folder, "skills/pdf/link"));
    expect(await linked("link")).toContain("pdf/link: It is a symbolic link that leads nowhere.");
    await rm(join(folder, "skills/pdf/link"));
    expect(await linked(".")).toContain("pdf/link: It is a symbolic link to a folder that it is in.");
    await rm(join(folder, "skills/pdf/link"));
    expect(await linked("..")).toContain("leads out of the folder");
    await rm(join(folder, "skills/pdf/link"));
    expect(await linked("../../pdf", "skills/pdf/a/link")).toContain(
      "pdf/a/link: It is a symbolic link to a folder that it is in.",
    );
  });

  test("do not multiply: folders that link to each other end at a limit", async () => {
    await write("skills/a/x");
    await write("skills/b/x");
    await symlink("../b", join(folder, "skills/a/b1"));
    await symlink("../b", join(folder, "skills/a/b2"));
    await symlink("../a", join(folder, "skills/b/a1"));
    await symlink("../a", join(folder, "skills/b/a2"));
    const error = openSkillsFolder(join(folder, "skills"));
    await expect(error).rejects.toThrow(/more than 20000 files and folders|folders deep/);
  });

  test("and sockets are not files: they are neither read nor waited for", async () => {
    const listener = createListener().listen(join(folder, "skills/pdf/socket"));
    await once(listener, "listening");
    const opening = openSkillsFolder(join(folder, "skills"));
    await expect(opening).rejects.toThrow("pdf/socket: It is neither a file nor a folder.");
    listener.close();
  });
});

describe("a folder that changes", () => {
  /** A folder that is open, and the next changes of it. */
  async function open(options: SkillsFolderOptions = {}) {
    let changed = defer<SkillsFolderChange>();
    const opened = await openSkillsFolder(folder, { ...options, onChange: (change) => changed.resolve(change) });
    changed = defer();
    const nextChange = async (): Promise<readonly string[]> => {
      const { files } = await changed.promise;
      changed = defer();
      return files;
    };
    return { opened, nextChange };
  }

  test("is read again when asked to, and says what has changed", async () => {
    await write("a/SKILL.md", markdown("a"));
    await write("b/SKILL.md", markdown("b"));
    await write("b/x.md", "x");
    const { opened, nextChange } = await open();
    const before = opened.skills;
    expect(await opened.reload()).toBe(false);
    expect(opened.skills).toBe(before);
    await rm(join(folder, "a"), { recursive: true });
    await write("b/x.md", "y");
    await write("c/SKILL.md", markdown("c"));
    expect(await opened.reload()).toBe(true);
    expect(await nextChange()).toStrictEqual(["a/SKILL.md", "b/x.md", "c/SKILL.md"]);
    expect(opened.skills.map(({ path }) => path)).toStrictEqual(["b", "c"]);
  });

  test("keeps its skills while it cannot be served", async () => {
    await write("a/SKILL.md", markdown("a"));
    const { opened } = await open();
    const before = opened.skills;
    await write("a/SKILL.md", "broken");
    await expect(opened.reload()).rejects.toThrow("a/SKILL.md:1:1:");
    expect(opened.skills).toBe(before);
    await write("a/SKILL.md", markdown("a", "mended"));
    expect(await opened.reload()).toBe(true);
  });

  test("reads one after the other, however many ask", async () => {
    await write("a/SKILL.md", markdown("a"));
    const { opened } = await open();
    await write("a/x.md", "x");
    expect(await Promise.all([opened.reload(), opened.reload(), opened.reload()])).toStrictEqual([true, false, false]);
  });

  test("is served as it is now, when it is watched", async () => {
    await write("a/SKILL.md", markdown("a"));
    const { opened, nextChange } = await open({ watch: true });
    const server = createServer({ name: "a", version: "1", extensions: [skills(opened)] });
    const client = new ModernClient(server);
    const uri = "skill://a/SKILL.md";
    const before = await client.request("skills/get", { uri });
    await write("a/SKILL.md", markdown("a", "More"));
    expect((await nextChange()).map((path) => skillUri(path))).toStrictEqual([uri]);
    const after = await client.request("skills/get", { uri });
    expect(after.skill.resources).not.toStrictEqual(before.skill.resources);
    await write("b/deep/down/SKILL.md", markdown("down"));
    await nextChange();
    expect(((await client.request("skills/list")).skills as Json[]).map((each) => each.uri)).toContain(
      "skill://b/deep/down/SKILL.md",
    );
    opened.close();
  });

  test("tells of a problem once, when it is watched, and goes on", async () => {
    await write("a/SKILL.md", markdown("a"));
    const problem = defer<Error>();
    const problems: string[] = [];
    const onProblem = (error: Error): void => {
      problems.push(error.message);
      problem.resolve(error);
    };
    const { opened, nextChange } = await open({ watch: true, onProblem });
    await write("a/SKILL.md", "broken");
    expect((await problem.promise).message).toContain("a/SKILL.md:1:1:");
    await write("new.md", markdown("a", "mended"));
    await rename(join(folder, "new.md"), join(folder, "a/SKILL.md"));
    expect(await nextChange()).toStrictEqual(["a/SKILL.md"]);
    expect(problems).toStrictEqual([...new Set(problems)]);
    opened.close();
  });
});
