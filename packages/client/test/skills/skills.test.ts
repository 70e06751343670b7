/** Every rule of the skills extension (SEP-2640) that concerns clients. */
import { connect, type ClientDiagnostic } from "@toolwire/client";
import { RpcError } from "@toolwire/protocol";
import { createServer } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { serveInMemory } from "@toolwire/server/memory";
import { skill as define, skills as serveSkills, type SkillDefinition } from "@toolwire/server/skills";
import { createHash } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { skills, type RemoteSkill, type SkillsApi, type SkillsOptions } from "../../src/skills/index.ts";
import { modernServer, type ScriptedServer, type Script } from "../scripted-server.ts";

const ID = "io.modelcontextprotocol/skills";
const PNG = new Uint8Array([0x89, 0x50, 0, 255]);

const pdf = define({
  path: "acme/pdf",
  frontmatter: { name: "pdf", description: "Fill in forms", metadata: { version: "2.1.0" } },
  body: "# PDF\n",
  files: { "references/FORMS.md": "\uFEFF# Forms — é\r\n", "assets/a b.png": PNG },
});
const daily = define({
  frontmatter: { name: "daily", description: "Report of today" },
  body: () => "Nothing happened.",
  files: () => ({ "data/today.csv": "a,b\n", "data/more/x.csv": "" }),
});

/** What is to be closed after a test. */
const open: { close(): Promise<unknown> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((each) => each.close())));

function serverOf(catalog: Parameters<typeof serveSkills>[0], options?: Parameters<typeof serveSkills>[1]) {
  return createServer({ name: "skills", version: "1", extensions: [serveSkills(catalog, options)] });
}

/** The skills of a real server in this process. */
async function real(
  catalog: Parameters<typeof serveSkills>[0],
  options: SkillsOptions = {},
  served?: Parameters<typeof serveSkills>[1],
): Promise<SkillsApi> {
  const extension = skills({ server: "docs", ...options });
  const client = await connect(serveInMemory(serverOf(catalog, served)), { extensions: [extension] });
  open.push(client);
  return client.use(extension);
}

const sha256 = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const URI = "skill://pdf/SKILL.md";
const SOURCE = "---\nname: pdf\ndescription: Fill in forms\n---\nBody\n";
const FORMS = "skill://pdf/FORMS.md";
const ENTRY = {
  uri: URI,
  frontmatter: { name: "pdf", description: "Fill in forms" },
  resources: [
    { uri: URI, digest: sha256(SOURCE), size: SOURCE.length },
    { uri: FORMS, digest: sha256("Forms"), size: 5 },
  ],
};
const DYNAMIC = { ...ENTRY, resources: "dynamic" };
const complete = (result: object): object => ({ resultType: "complete", ttlMs: 0, cacheScope: "private", ...result });
const contents = (more: object, uri = URI): object =>
  complete({ contents: [{ uri, mimeType: "text/markdown", ...more }] });

/** A server that says what a test wants, and the skills of it. */
async function scripted(
  script: Script,
  options: SkillsOptions = {},
  settings: object | null = { directoryRead: true },
): Promise<{ api: SkillsApi; server: ScriptedServer; diagnostics: ClientDiagnostic[] }> {
  const server = modernServer({
    "server/discover": complete({
      supportedVersions: ["2026-07-28"],
      capabilities: { resources: {}, extensions: settings === null ? {} : { [ID]: settings } },
    }),
    "skills/list": complete({ skills: [ENTRY] }),
    "skills/get": complete({ skill: ENTRY }),
    "resources/read": ({ uri }) => (uri === FORMS ? contents({ text: "Forms" }, FORMS) : contents({ text: SOURCE })),
    ...script,
  });
  const diagnostics: ClientDiagnostic[] = [];
  const extension = skills({ server: "docs", ...options });
  const client = await connect(server.channel, {
    extensions: [extension],
    onDiagnostic: (event) => void diagnostics.push(event),
  });
  open.push(client);
  return { api: client.use(extension), server, diagnostics };
}

async function all(api: SkillsApi): Promise<RemoteSkill[]> {
  const found: RemoteSkill[] = [];
  for await (const each of api.all()) found.push(each);
  return found;
}

async function listDirectory(api: SkillsApi, uri = "skill://pdf"): Promise<string[]> {
  const uris: string[] = [];
  for await (const child of api.readDirectory(uri)) uris.push(child.uri);
  return uris;
}

/** The code of the error of a promise. */
async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    () => new Error("It has not failed"),
    (reason: unknown) => reason,
  );
  return (error as { code?: unknown }).code ?? error;
}

describe("Capability Negotiation", () => {
  test("clients issue skills/list and skills/get only after the server has declared the extension", async () => {
    const { api, server } = await scripted({}, {}, null);
    expect(api.isSupported).toBe(false);
    expect(await codeOf(api.list())).toBe("UNSUPPORTED");
    expect(await codeOf(api.get(URI))).toBe("UNSUPPORTED");
    expect(server.requests("skills/list")).toHaveLength(0);
    expect(server.requests("skills/get")).toHaveLength(0);
  });

  test.each([{}, { directoryRead: false }, { directoryRead: "true" }])(
    "clients MUST NOT read directories of a server that declares %j",
    async (settings) => {
      const { api, server } = await scripted({ "skills/get": complete({ skill: DYNAMIC }) }, {}, settings);
      expect([api.isSupported, api.listsDirectories]).toStrictEqual([true, false]);
      const reading = listDirectory(api);
      expect(await codeOf(reading)).toBe("UNSUPPORTED");
      expect(await codeOf((await api.get(URI)).list())).toBe("UNSUPPORTED");
      expect(server.requests("resources/directory/read")).toHaveLength(0);
    },
  );
});

describe("Listing Skills", () => {
  test("pages are fetched on demand, and nothing is read ahead of need", async () => {
    const many = Array.from({ length: 5 }, (_, index) =>
      define({ frontmatter: { name: `skill-${index}`, description: "One of many" }, body: "" }),
    );
    const api = await real(many, {}, { pageSize: 2 });
    expect((await all(api)).map(({ name }) => name)).toStrictEqual([
      "skill-0",
      "skill-1",
      "skill-2",
      "skill-3",
      "skill-4",
    ]);
    const first = await api.list();
    expect(first.skills.map(({ uri }) => uri)).toStrictEqual(["skill://skill-0/SKILL.md", "skill://skill-1/SKILL.md"]);
    const second = await api.list({ cursor: first.nextCursor });
    expect(second.skills[0]?.name).toBe("skill-2");
  });

  test("hosts MUST NOT retrieve files on connection, on listing or for an approval", async () => {
    const { api, server } = await scripted({});
    const [pdfSkill] = await all(api);
    await pdfSkill?.fingerprint();
    await pdfSkill?.list();
    pdfSkill?.resolve("FORMS.md");
    await api.get(URI);
    expect(server.requests("resources/read")).toHaveLength(0);
  });

  test("an entry that is invalid MUST NOT be loaded: it is left out, and the others are not", async () => {
    const { api, diagnostics } = await scripted({
      "skills/list": complete({ skills: [{ ...ENTRY, resources: undefined }, null, ENTRY] }),
    });
    expect(await all(api)).toHaveLength(1);
    expect(diagnostics.map(({ message }) => message)).toStrictEqual([
      'The skill "skill://pdf/SKILL.md" cannot be used: `resources` is neither a list nor "dynamic". It is left out.',
      "A skill of the server cannot be used: its `uri` is not that of a SKILL.md. It is left out.",
    ]);
  });

  test.each([{}, { skills: null }, { skills: {} }, { skills: [], nextCursor: 1 }])(
    "a result that is no list is refused: %j",
    async (result) => {
      const { api } = await scripted({ "skills/list": complete(result) });
      expect(await codeOf(api.list())).toBe("INVALID_RESULT");
    },
  );

  test("a list without an end ends", async () => {
    let count = 0;
    const { api } = await scripted({
      "skills/list": () => complete({ skills: [], nextCursor: String(++count % 3) }),
    });
    expect(await codeOf(all(api))).toBe("INVALID_RESULT");
    expect(count).toBeLessThan(10);
  });

  test("skills of one name stay apart", async () => {
    const named = (path: string): SkillDefinition =>
      define({ path, frontmatter: { name: "refunds", description: "Refund" }, body: path });
    const found = await all(await real([named("acme/billing/refunds"), named("acme/support/refunds")]));
    expect(found.map(({ name, path, server }) => [name, path, server])).toStrictEqual([
      ["refunds", "acme/billing/refunds", "docs"],
      ["refunds", "acme/support/refunds", "docs"],
    ]);
    expect((await found[1]?.load())?.body).toBe("\nacme/support/refunds");
  });
});

describe("Getting a Skill", () => {
  test("hosts MUST support a skill of which they have the URI only", async () => {
    const { api, server } = await scripted({ "skills/list": complete({ skills: [] }) });
    expect(await all(api)).toStrictEqual([]);
    expect((await (await api.get(URI)).load()).body).toBe("Body\n");
    expect(server.requests("skills/get")[0]?.params).toMatchObject({ uri: URI });
  });

  test("a URI of no skill rejects with the error of the server", async () => {
    const error = await (await real([pdf])).get("skill://unknown/SKILL.md").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ code: -32602 });
  });

  test.each<[string, object, unknown]>([
    ["another skill", { skill: { ...ENTRY, uri: "skill://a/pdf/SKILL.md", resources: "dynamic" } }, "INVALID_RESULT"],
    ["no skill", {}, "INVALID_RESULT"],
    ["the entry itself", ENTRY, "INVALID_RESULT"],
    ["an invalid entry", { skill: { ...ENTRY, resources: [] } }, "INVALID_SKILL"],
  ])("a server that answers with %s is refused", async (_, result, code) => {
    const { api } = await scripted({ "skills/get": complete(result) });
    expect(await codeOf(api.get(URI))).toBe(code);
  });
});

describe("Integrity and Verification", () => {
  test("files that are what was listed are read, as text or as bytes", async () => {
    const found = await (await real([pdf])).get("skill://acme/pdf/SKILL.md");
    const loaded = await found.load();
    expect(loaded).toMatchObject({
      server: "docs",
      mimeType: "text/markdown",
      body: "\n# PDF\n",
      frontmatter: pdf.frontmatter,
    });
    expect(loaded.text.endsWith("---\n\n# PDF\n")).toBe(true);
    expect((await found.read("references/FORMS.md")).text).toBe("\uFEFF# Forms — é\r\n");
    const image = await found.read("assets/a b.png");
    expect(image).toMatchObject({ uri: "skill://acme/pdf/assets/a%20b.png", mimeType: "image/png", text: undefined });
    expect(image.bytes).toStrictEqual(PNG);
  });

  test.each<[string, object, string]>([
    ["size", { text: `${SOURCE}!` }, "SIZE_MISMATCH"],
    ["size", { text: SOURCE.slice(1) }, "SIZE_MISMATCH"],
    ["size", { blob: btoa(`${SOURCE}!`) }, "SIZE_MISMATCH"],
    ["size", { text: "é".repeat(SOURCE.length) }, "SIZE_MISMATCH"],
    ["digest", { text: SOURCE.replace("Body", "Evil") }, "DIGEST_MISMATCH"],
    ["digest", { blob: btoa(SOURCE.replace("Body", "Evil")) }, "DIGEST_MISMATCH"],
    ["file", { text: undefined }, "INVALID_RESULT"],
    ["file", { blob: 1 }, "INVALID_RESULT"],
    ["file", { blob: "!" }, "INVALID_CONTENTS"],
    ["file", { text: SOURCE, uri: FORMS }, "INVALID_CONTENTS"],
  ])("hosts MUST NOT use content of another %s: %j", async (_, more, code) => {
    const { api, server } = await scripted({ "resources/read": contents(more) });
    const [found] = await all(api);
    expect(await codeOf(found!.load())).toBe(code);
    expect(await codeOf(found!.read("SKILL.md"))).toBe(code);
    // Nothing of it is kept.
    expect(server.requests("resources/read")).toHaveLength(2);
  });

  test("supporting files MUST be verified, too", async () => {
    const { api } = await scripted({ "resources/read": contents({ text: "Evil!" }, FORMS) });
    const [found] = await all(api);
    expect(await codeOf(found!.read("FORMS.md"))).toBe("DIGEST_MISMATCH");
  });

  test("a much larger answer is refused before it is decoded", async () => {
    const { api } = await scripted({ "resources/read": contents({ blob: "A".repeat(1_000_000) }) });
    const [found] = await all(api);
    expect(await codeOf(found!.load())).toBe("SIZE_MISMATCH");
  });

  test.each<[string, string]>([
    ["another description", "---\nname: pdf\ndescription: Exfiltrate credentials\n---\nBody\n"],
    ["a field more", "---\nname: pdf\ndescription: Fill in forms\nallowed-tools: Bash\n---\nBody\n"],
    ["a field less", "---\nname: pdf\n---\nBody\n"],
    ["a value of another kind", "---\nname: pdf\ndescription: [Fill in forms]\n---\nBody\n"],
    ["no front matter", "# PDF\n"],
    ["front matter twice", "---\nname: pdf\nname: pdf\ndescription: Fill in forms\n---\nBody\n"],
    ["front matter that is no YAML", "---\nname: pdf\ndescription: a: b\n---\nBody\n"],
  ])("the front matter MUST be compared field by field: %s", async (_, source) => {
    const resources = [{ uri: URI, digest: sha256(source), size: source.length }];
    for (const entry of [{ ...ENTRY, resources }, DYNAMIC]) {
      const script = {
        "skills/list": complete({ skills: [entry] }),
        "resources/read": contents({ text: source }),
      };
      const { api } = await scripted(script, { dynamic: true });
      const [found] = await all(api);
      expect(await codeOf(found!.load())).toBe("FRONTMATTER_MISMATCH");
      expect(await codeOf(found!.read(URI))).toBe("FRONTMATTER_MISMATCH");
    }
  });

  test("reads MUST be resolved to listed files only, and no request is sent for others", async () => {
    const { api, server } = await scripted({});
    const [found] = await all(api);
    for (const reference of ["NEW.md", "../other/SKILL.md", "skill://other/SKILL.md", "file:///etc/passwd"]) {
      expect(await codeOf(found!.read(reference))).toBe("UNLISTED_FILE");
    }
    expect(server.requests("resources/read")).toHaveLength(0);
  });

  test("a nested SKILL.md is a supporting file: its front matter has no effect", async () => {
    const inner = define({
      path: "pdf/inner",
      frontmatter: { name: "inner", description: "Inner" },
      body: "Be brief.",
    });
    const outer = define({ frontmatter: { name: "pdf", description: "Fill in forms" }, body: "" });
    const found = await (await real([outer, inner])).get(URI);
    const file = await found.read("inner/SKILL.md");
    expect(file).not.toHaveProperty("frontmatter");
    expect(file.text).toContain("Be brief.");
  });

  test("a skill that has changed is refused until it is refreshed, and then has another fingerprint", async () => {
    const catalog: { skills: SkillDefinition[] } = {
      skills: [define({ frontmatter: { name: "pdf", description: "d" }, body: "before" })],
    };
    const api = await real(catalog);
    const before = await api.get(URI);
    const approved = await before.fingerprint();
    expect(await (await before.refresh()).fingerprint()).toBe(approved);
    catalog.skills = [
      define({ frontmatter: { name: "pdf", description: "d" }, body: "after", files: { "new.md": "" } }),
    ];
    expect(await codeOf(before.load())).toBe("SIZE_MISMATCH");
    expect(await codeOf(before.read("new.md"))).toBe("UNLISTED_FILE");
    const after = await before.refresh();
    expect(await after.fingerprint()).not.toBe(approved);
    expect((await after.load()).body).toBe("\nafter");
    await after.read("new.md");
  });

  test("the fingerprint depends on server, skill and files, and not on their order", async () => {
    const reversed = { ...ENTRY, resources: ENTRY.resources.toReversed() };
    const one = (await all((await scripted({})).api))[0];
    const other = (await all((await scripted({ "skills/list": complete({ skills: [reversed] }) })).api))[0];
    const elsewhere = (await all((await scripted({}, { server: "elsewhere" })).api))[0];
    expect(await one?.fingerprint()).toMatch(/^sha256:/);
    expect(await other?.fingerprint()).toBe(await one?.fingerprint());
    expect(await elsewhere?.fingerprint()).not.toBe(await one?.fingerprint());
  });

  test("verified files are kept, and read again only when the skill has changed", async () => {
    const { api, server } = await scripted({});
    const [found] = await all(api);
    const first = await found!.read("FORMS.md");
    first.bytes.fill(0);
    const [again] = await all(api);
    expect((await again!.read("FORMS.md")).text).toBe("Forms");
    expect((await again!.read("FORMS.md")).bytes).toStrictEqual(new TextEncoder().encode("Forms"));
    expect(server.requests("resources/read")).toHaveLength(1);
  });

  test("no more is kept than the option says", async () => {
    const { api, server } = await scripted({}, { keptBytes: 10 });
    const [found] = await all(api);
    for (const reference of ["FORMS.md", "SKILL.md", "SKILL.md", "FORMS.md"]) await found!.read(reference);
    expect(server.requests("resources/read")).toHaveLength(3);
  });
});

describe("dynamic skills", () => {
  test("are listed, and declined unless the application allows them", async () => {
    const api = await real([daily]);
    const [found] = await all(api);
    expect(found?.problem).toMatchObject({ code: "UNVERIFIABLE" });
    expect(await codeOf(found!.load())).toBe("UNVERIFIABLE");
    expect(await codeOf(found!.read("data/today.csv"))).toBe("UNVERIFIABLE");
  });

  test("have no fingerprint, since nobody can approve them once and for all", async () => {
    const [found] = await all(await real([daily], { dynamic: true }));
    expect(found?.problem).toBeUndefined();
    expect(await found?.fingerprint()).toBeUndefined();
  });

  test("are read, and their folders listed by the server", async () => {
    const [found] = await all(await real([daily], { dynamic: true }));
    expect((await found!.load()).body).toBe("\nNothing happened.");
    expect((await found!.read("data/today.csv")).text).toBe("a,b\n");
    expect(await found!.list("data")).toStrictEqual([
      { uri: "skill://daily/data/more", name: "more", isFolder: true },
      { uri: "skill://daily/data/today.csv", name: "today.csv", isFolder: false },
    ]);
  });

  test("are read up to the limit of bytes, all files together", async () => {
    const half = "a".repeat(9 * 1024 * 1024);
    const big = define({
      frontmatter: daily.frontmatter,
      body: () => "",
      files: () => ({ a: half, b: half.slice(8e6) }),
    });
    const huge = define({
      path: "x/daily",
      frontmatter: daily.frontmatter,
      body: () => "",
      files: () => ({ b: half }),
    });
    const api = await real([big, huge], { dynamic: true });
    const [found, other] = await all(api);
    await found!.read("a");
    await found!.read("b");
    await found!.read("a");
    expect((await other!.read("b")).bytes).toHaveLength(half.length);
    const { api: endless } = await scripted(
      {
        "skills/list": complete({ skills: [DYNAMIC] }),
        "resources/read": ({ uri }) => contents({ text: half }, String(uri)),
      },
      { dynamic: true },
    );
    const [hostile] = await all(endless);
    await hostile!.read("a");
    expect(await codeOf(hostile!.read("b"))).toBe("TOO_LARGE");
  });

  test("things that a server lists elsewhere are left out", async () => {
    const children = [
      "skill://pdf/a.md",
      "skill://pdf/b/c.md",
      "skill://other/d.md",
      "skill://pdf/../e.md",
      "skill://pdf",
    ];
    const { api } = await scripted(
      {
        "skills/list": complete({ skills: [DYNAMIC] }),
        "resources/directory/read": complete({ resources: children.map((uri) => ({ uri, name: "x" })) }),
      },
      { dynamic: true },
    );
    const [found] = await all(api);
    expect(await found!.list()).toStrictEqual([{ uri: "skill://pdf/a.md", name: "a.md", isFolder: false }]);
  });
});

describe("Limits", () => {
  const sized = (count: number, size: number): object => ({
    ...ENTRY,
    resources: Array.from({ length: count }, (_, index) =>
      index === 0 ? { ...ENTRY.resources[0], size } : { uri: `skill://pdf/${index}`, digest: sha256(""), size: 0 },
    ),
  });

  test("hosts MUST support skills up to the limits", async () => {
    const body = "x".repeat(16 * 1024 * 1024 - 200);
    const large = define({
      frontmatter: { name: "pdf", description: "d" },
      body,
      files: Object.fromEntries(Array.from({ length: 511 }, (_, index) => [`${index}.md`, ""])),
    });
    const [found] = await all(await real([large]));
    expect((await found!.load()).body).toHaveLength(body.length + 1);
  });

  test.each([
    [513, 10],
    [1, 16 * 1024 * 1024 + 1],
    [1, Number.MAX_SAFE_INTEGER],
  ])(
    "larger ones are declined before anything is read, and the user can be told why: %d files, %d bytes",
    async (count, size) => {
      const { api, server } = await scripted({ "skills/list": complete({ skills: [sized(count, size)] }) });
      const [found] = await all(api);
      expect(found?.problem).toMatchObject({
        code: "TOO_LARGE",
        message: expect.stringContaining(`${count} files of ${size} bytes`),
      });
      expect(await codeOf(found!.load())).toBe("TOO_LARGE");
      expect(server.requests("resources/read")).toHaveLength(0);
    },
  );

  test("an application may take larger ones, but not smaller ones", async () => {
    const list = { "skills/list": complete({ skills: [sized(600, 10)] }) };
    const [found] = await all((await scripted(list, { maxFiles: 1000 })).api);
    expect(found?.problem).toBeUndefined();
    expect(() => skills({ maxFiles: 511 })).toThrow("`maxFiles` must be a whole number of at least 512");
    expect(() => skills({ maxBytes: 1 })).toThrow("`maxBytes`");
  });
});

describe("Reading Directories", () => {
  test("a skill that is verified answers from what was listed, without a request", async () => {
    const { api, server } = await scripted({});
    const [found] = await all(api);
    expect(await found!.list()).toStrictEqual([
      { uri: FORMS, name: "FORMS.md", isFolder: false },
      { uri: URI, name: "SKILL.md", isFolder: false },
    ]);
    expect(await found!.list("unknown")).toStrictEqual([]);
    expect(await codeOf(found!.list("../other"))).toBe("UNLISTED_FILE");
    expect(server.requests("resources/directory/read")).toHaveLength(0);
  });

  test("folders have the names of files, decoded", async () => {
    const found = await (await real([pdf])).get("skill://acme/pdf/SKILL.md");
    expect((await found.list()).map(({ name, isFolder }) => [name, isFolder])).toStrictEqual([
      ["SKILL.md", false],
      ["assets", true],
      ["references", true],
    ]);
    expect(await found.list("./assets/")).toStrictEqual([
      { uri: "skill://acme/pdf/assets/a%20b.png", name: "a b.png", isFolder: false },
    ]);
  });

  test("any folder of the server can be listed as it is now", async () => {
    const api = await real([pdf, daily], {}, { pageSize: 1 });
    expect(await listDirectory(api, "skill://acme/pdf")).toStrictEqual([
      "skill://acme/pdf/SKILL.md",
      "skill://acme/pdf/assets",
      "skill://acme/pdf/references",
    ]);
  });

  test.each([{}, { resources: [{}] }, { resources: [null] }, { resources: [], nextCursor: 1 }])(
    "a result that is no list is refused: %j",
    async (result) => {
      const { api } = await scripted({ "resources/directory/read": complete(result) });
      const reading = listDirectory(api);
      expect(await codeOf(reading)).toBe("INVALID_RESULT");
    },
  );
});

describe("the identity of a skill", () => {
  test("is its URI and the name by which the application knows the server", async () => {
    const [here] = await all((await scripted({}, { server: "here" })).api);
    const [there] = await all((await scripted({}, { server: "there" })).api);
    expect([here?.server, here?.uri]).toStrictEqual(["here", URI]);
    expect([there?.server, there?.uri]).toStrictEqual(["there", URI]);
    expect((await there!.load()).server).toBe("there");
  });

  test("takes the address of a server that was given no name, and never the name that it gives itself", async () => {
    const listener = await serveHttp(serverOf([pdf, daily]), { port: 0, host: "127.0.0.1" });
    open.push(listener);
    const extension = skills();
    const client = await connect(listener.url, { extensions: [extension] });
    open.unshift(client);
    const api = client.use(extension);
    const found = await all(api);
    expect(found.map(({ server }) => server)).toStrictEqual([listener.url, listener.url]);
    expect((await found[0]!.load()).body).toBe("\n# PDF\n");
    expect((await found[0]!.read("assets/a b.png")).bytes).toStrictEqual(PNG);
  });

  test("needs a name for a server without an address", async () => {
    const extension = skills();
    const client = await connect(serveInMemory(serverOf([pdf])), { extensions: [extension] });
    open.push(client);
    expect(() => client.use(extension)).toThrow('Give it a name: skills({ server: "docs" })');
    expect(() => skills({ server: "" })).toThrow("`server` must be text");
    expect(() => skills({ servers: "a" } as never)).toThrow("Did you mean `server`?");
  });
});

test("skills of a server of the legacy era are found and verified as well", async () => {
  const extension = skills({ server: "docs" });
  const options = { extensions: [extension], revision: "2025-11-25" } as const;
  const client = await connect(serveInMemory(serverOf([pdf])), options);
  open.push(client);
  const [found] = await all(client.use(extension));
  expect((await found!.load()).body).toBe("\n# PDF\n");
});

test("a request for a skill can be cancelled", async () => {
  const { api } = await scripted({});
  const [found] = await all(api);
  await expect(found!.load({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
});
