/** Every rule of the skills extension (SEP-2640) that concerns servers. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createServer, resource, type Server } from "../../src/index.ts";
import { createHttpHandler } from "../../src/http.ts";
import { skill, skills, type SkillDefinition, type SkillsOptions } from "../../src/skills/index.ts";
import { modern, readJson } from "../bindings/http/client.ts";
import { LegacyClient, ModernClient, type Json } from "../wire-client.ts";

const ID = "io.modelcontextprotocol/skills";

const PIXEL = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 255]);

const pdf = skill({
  frontmatter: { name: "pdf", description: "Fill in forms", license: "MIT", metadata: { version: "2.1.0" } },
  body: "Choose a template from `templates/`.\n",
  files: {
    "templates/invoice.md": "# Invoice\n",
    "templates/regional/eu.md": "\uFEFF# Facture — €\r\n",
    "assets/a b#1.png": PIXEL,
  },
});

const refunds = skill({
  path: "acme/billing/refunds",
  frontmatter: { name: "refunds", description: "Refund an order" },
  source: "---\n# A comment\nname: refunds\ndescription: Refund an order\n---\nAsk first.",
});

const nested = skill({
  path: "acme/billing/refunds/mails/apology",
  frontmatter: { name: "apology", description: "Write an apology" },
  body: "Be brief.",
  files: { "example.md": "Sorry." },
});

const daily = skill({
  path: "reports/daily",
  frontmatter: { name: "daily", description: "Report of today" },
  body: ({ principal }) => `For ${principal?.id ?? "everybody"}.`,
  files: () => ({ "data/today.csv": "a,b\n1,2\n" }),
});

const all = [refunds, pdf, daily, nested];

function serve(catalog: Parameters<typeof skills>[0] = all, options?: SkillsOptions): Server {
  const extensions = [skills(catalog, options)];
  return createServer({ name: "skills", version: "1", extensions });
}

function many(count: number, files = 0): SkillDefinition[] {
  return Array.from({ length: count }, (_, index) =>
    skill({
      frontmatter: { name: `skill-${String(index).padStart(4, "0")}`, description: "One of many" },
      body: "",
      files: Object.fromEntries(Array.from({ length: files }, (_each, file) => [`${file}.txt`, ""])),
    }),
  );
}

const sha256 = (bytes: Uint8Array | string): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** The bytes that a client has got. */
async function readBytes(client: ModernClient, uri: string): Promise<Buffer> {
  const { contents } = await client.request("resources/read", { uri });
  const [{ text, blob }] = contents as [Json];
  return text === undefined ? Buffer.from(blob as string, "base64") : Buffer.from(text as string);
}

/** All pages of a list. */
async function listAll(client: ModernClient, method: string, member: string, params: object = {}): Promise<Json[][]> {
  const pages: Json[][] = [];
  let cursor: string | undefined;
  do {
    const result: Json = await client.request(method, { ...params, ...(cursor !== undefined && { cursor }) });
    pages.push(result[member] as Json[]);
    cursor = result.nextCursor as string | undefined;
  } while (cursor !== undefined);
  return pages;
}

describe("Capability Negotiation", () => {
  test("the extension is declared with directoryRead, and the server MUST declare resources", async () => {
    const { capabilities } = await new ModernClient(serve()).request("server/discover");
    expect(capabilities.extensions).toStrictEqual({ [ID]: { directoryRead: true } });
    expect(capabilities.resources).toBeTypeOf("object");
  });

  test("without optional features, it is declared as an empty object", async () => {
    const client = new ModernClient(serve([], { directoryRead: false }));
    const { capabilities } = await client.request("server/discover");
    expect(capabilities.extensions).toStrictEqual({ [ID]: {} });
    expect(capabilities.resources).toBeTypeOf("object");
    const reading = client.request("resources/directory/read", { uri: "skill://pdf" });
    await expect(reading).rejects.toMatchObject({ code: -32601 });
  });

  test("clients need not declare the extension to use it", async () => {
    const client = new ModernClient(serve(), { capabilities: {} });
    expect((await client.request("skills/list")).skills).toHaveLength(4);
  });

  test.each(["2025-11-25", "2025-06-18"] as const)("clients of %s can use it, too", async (revision) => {
    const client = await LegacyClient.open(serve(), { revision });
    const { skills: listed, ...rest } = await client.request("skills/list");
    expect(listed).toHaveLength(4);
    expect(rest).toStrictEqual({});
    const unknown = client.request("skills/get", { uri: "skill://unknown/SKILL.md" });
    await expect(unknown).rejects.toMatchObject({ code: -32602 });
    const { contents } = await client.request("resources/read", { uri: "skill://pdf/SKILL.md" });
    expect(contents).toMatchObject([{ mimeType: "text/markdown" }]);
  });
});

describe("Resource Mapping", () => {
  test("a SKILL.md SHOULD be listed as Markdown, with the name and description of its skill", async () => {
    const { resources } = await new ModernClient(serve()).request("resources/list");
    expect(resources).toStrictEqual([
      {
        uri: "skill://acme/billing/refunds/SKILL.md",
        name: "refunds",
        description: "Refund an order",
        mimeType: "text/markdown",
        size: 73,
      },
      expect.objectContaining({ uri: "skill://acme/billing/refunds/mails/apology/SKILL.md", name: "apology" }),
      expect.objectContaining({ uri: "skill://pdf/SKILL.md", name: "pdf" }),
      {
        uri: "skill://reports/daily/SKILL.md",
        name: "daily",
        description: "Report of today",
        mimeType: "text/markdown",
      },
    ]);
  });

  test("further files are listed if that is wanted, each once", async () => {
    const client = new ModernClient(serve(all, { listFiles: true }));
    const { resources } = await client.request("resources/list");
    const uris = (resources as Json[]).map(({ uri }) => uri as string);
    expect(new Set(uris).size).toBe(uris.length);
    expect(uris).toHaveLength(9);
    expect(resources).toContainEqual({
      uri: "skill://pdf/assets/a%20b%231.png",
      name: "a b#1.png",
      mimeType: "image/png",
      size: 6,
    });
    expect(uris).toContain("skill://reports/daily/data/today.csv");
  });

  test("each file of a skill is a resource, and reading it yields its bytes", async () => {
    const client = new ModernClient(serve());
    expect(await readBytes(client, "skill://pdf/assets/a%20b%231.png")).toStrictEqual(Buffer.from(PIXEL));
    expect((await readBytes(client, "skill://pdf/templates/regional/eu.md")).toString()).toBe(
      "\uFEFF# Facture — €\r\n",
    );
  });

  test("other schemes have the same structure", async () => {
    const client = new ModernClient(serve(all, { root: "github://owner/repo%20x" }));
    const { skill: entry } = await client.request("skills/get", { uri: "github://owner/repo%20x/pdf/SKILL.md" });
    const uris = (entry.resources as Json[]).map(({ uri }) => uri as string);
    expect(uris).toContain("github://owner/repo%20x/pdf/templates/invoice.md");
    for (const uri of uris) await readBytes(client, uri);
    const { resources } = await client.request("resources/directory/read", { uri: "github://owner/repo%20x/acme" });
    expect(resources).toMatchObject([{ uri: "github://owner/repo%20x/acme/billing", name: "billing" }]);
  });

  test("the first part of a path is encoded, so that it is no user and no port", async () => {
    const odd = skill({ path: "a@b:80/é/pdf", frontmatter: pdf.frontmatter, body: "" });
    const client = new ModernClient(serve([odd]));
    const [page = []] = await listAll(client, "skills/list", "skills");
    expect(page).toMatchObject([{ uri: "skill://a%40b%3A80/%C3%A9/pdf/SKILL.md" }]);
    await readBytes(client, "skill://a%40b%3A80/%C3%A9/pdf/SKILL.md");
  });

  test.each([
    "skill://pdf",
    "skill://pdf/templates",
    "skill://pdf/templates/unknown.md",
    "skill://pdf/../acme/billing/refunds/SKILL.md",
    "skill://pdf/%2e%2e/acme/billing/refunds/SKILL.md",
    "skill://pdf//SKILL.md",
    "skill://pdf/SKILL.md/",
    "skill://constructor/SKILL.md",
    "skill://reports/daily/data/yesterday.csv",
  ])("reading what is no file MUST be refused with -32602: %s", async (uri) => {
    const reading = new ModernClient(serve()).request("resources/read", { uri });
    await expect(reading).rejects.toMatchObject({ code: -32602 });
  });

  test("resources of the server itself are served beside them", async () => {
    const readme = resource({ uri: "docs://readme", read: () => "Read me" });
    const server = createServer({ name: "a", version: "1", resources: { readme }, extensions: [skills(all)] });
    expect((await new ModernClient(server).request("resources/list")).resources).toHaveLength(5);
  });
});

describe("Skill Entries", () => {
  test("an entry MUST have all front matter of the SKILL.md, as it is there", async () => {
    const [page = []] = await listAll(new ModernClient(serve()), "skills/list", "skills");
    expect(page.find(({ uri }) => uri === "skill://pdf/SKILL.md").frontmatter).toStrictEqual({
      name: "pdf",
      description: "Fill in forms",
      license: "MIT",
      metadata: { version: "2.1.0" },
    });
  });

  test("resources MUST be complete: each file once, with the digest and size of what is read", async () => {
    const client = new ModernClient(serve());
    const { skill: entry } = await client.request("skills/get", { uri: "skill://pdf/SKILL.md" });
    expect((entry.resources as Json[]).map(({ uri }) => uri)).toStrictEqual([
      "skill://pdf/SKILL.md",
      "skill://pdf/assets/a%20b%231.png",
      "skill://pdf/templates/invoice.md",
      "skill://pdf/templates/regional/eu.md",
    ]);
    for (const { uri, digest, size } of entry.resources as Json[]) {
      const bytes = await readBytes(client, uri as string);
      expect([digest, size]).toStrictEqual([sha256(bytes), bytes.length]);
      expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    }
  });

  test("the files of a nested skill MUST be in the entry of the skill around it, and it has an entry of its own", async () => {
    const client = new ModernClient(serve());
    const outer = await client.request("skills/get", { uri: "skill://acme/billing/refunds/SKILL.md" });
    expect((outer.skill.resources as Json[]).map(({ uri }) => uri)).toStrictEqual([
      "skill://acme/billing/refunds/SKILL.md",
      "skill://acme/billing/refunds/mails/apology/SKILL.md",
      "skill://acme/billing/refunds/mails/apology/example.md",
    ]);
    const inner = await client.request("skills/get", { uri: "skill://acme/billing/refunds/mails/apology/SKILL.md" });
    expect(inner.skill.resources).toStrictEqual((outer.skill.resources as Json[]).slice(1));
  });

  test("a skill that is made for each reader MUST say that it is dynamic", async () => {
    const client = new ModernClient(serve());
    const { skill: entry } = await client.request("skills/get", { uri: "skill://reports/daily/SKILL.md" });
    expect(entry).toStrictEqual({
      uri: "skill://reports/daily/SKILL.md",
      frontmatter: { name: "daily", description: "Report of today" },
      resources: "dynamic",
    });
    expect((await readBytes(client, "skill://reports/daily/SKILL.md")).toString()).toBe(
      '---\nname: "daily"\ndescription: "Report of today"\n---\n\nFor everybody.',
    );
    expect((await readBytes(client, "skill://reports/daily/data/today.csv")).toString()).toBe("a,b\n1,2\n");
  });
});

describe("Listing Skills", () => {
  test("resultType MUST be complete, and the cache fields are REQUIRED", async () => {
    const result = await new ModernClient(serve()).request("skills/list", {});
    expect(result).toMatchObject({ resultType: "complete", ttlMs: 0, cacheScope: "private" });
    expect(result).not.toHaveProperty("nextCursor");
  });

  test("the cache fields are those of the option, also for files and folders", async () => {
    const client = new ModernClient(serve(all, { cache: { ttlMs: 300_000, scope: "public" } }));
    const hint = { ttlMs: 300_000, cacheScope: "public" };
    expect(await client.request("skills/list")).toMatchObject(hint);
    expect(await client.request("skills/get", { uri: "skill://pdf/SKILL.md" })).toMatchObject(hint);
    expect(await client.request("resources/directory/read", { uri: "skill://pdf" })).toMatchObject(hint);
    expect(await client.request("resources/read", { uri: "skill://pdf/SKILL.md" })).toMatchObject(hint);
    const generated = await client.request("resources/read", { uri: "skill://reports/daily/SKILL.md" });
    expect(generated).toMatchObject({ ttlMs: 0, cacheScope: "private" });
  });

  test("an empty list is one, too", async () => {
    expect((await new ModernClient(serve([])).request("skills/list")).skills).toStrictEqual([]);
  });

  test("pages have all skills, each once and undivided", async () => {
    const pages = await listAll(new ModernClient(serve(many(25), { pageSize: 10 })), "skills/list", "skills");
    expect(pages.map(({ length }) => length)).toStrictEqual([10, 10, 5]);
    expect(new Set(pages.flat().map(({ uri }) => uri)).size).toBe(25);
  });

  test("a page of skills with many files is shorter", async () => {
    const pages = await listAll(new ModernClient(serve(many(10, 500))), "skills/list", "skills");
    expect(pages.map(({ length }) => length)).toStrictEqual([3, 3, 3, 1]);
    for (const { resources } of pages.flat()) expect(resources).toHaveLength(501);
  });

  test("a page goes on where the last one ended, whatever has changed since", async () => {
    const [a, b, c, d, e] = many(5) as [SkillDefinition, ...SkillDefinition[]];
    const catalog = { skills: [a, b, d, e] as SkillDefinition[] };
    const client = new ModernClient(serve(catalog, { pageSize: 2 }));
    const first = await client.request("skills/list");
    catalog.skills = [a, c, d] as SkillDefinition[];
    const second = await client.request("skills/list", { cursor: first.nextCursor });
    expect((second.skills as Json[]).map(({ uri }) => uri)).toStrictEqual([
      "skill://skill-0002/SKILL.md",
      "skill://skill-0003/SKILL.md",
    ]);
  });

  test.each(["", "x", "c2tpbGxz", btoa("skills"), btoa("folder skill://a"), "c2tpbGxzIHNraWxsOi8vYQ", "é"])(
    "the cursor %j was never given out, and is refused with -32602",
    async (cursor) => {
      const listing = new ModernClient(serve()).request("skills/list", { cursor });
      await expect(listing).rejects.toMatchObject({ code: -32602 });
    },
  );

  test.each([{ cursor: 1 }, { cursor: null }])(
    "parameters that do not fit are refused with -32602: %j",
    async (params) => {
      const listing = new ModernClient(serve()).request("skills/list", params);
      await expect(listing).rejects.toMatchObject({ code: -32602 });
    },
  );
});

describe("Getting a Skill", () => {
  test("the result has the entry of the list, the cache fields and no cursor", async () => {
    const client = new ModernClient(serve());
    const [page = []] = await listAll(client, "skills/list", "skills");
    for (const entry of page) {
      const result = await client.request("skills/get", { uri: entry.uri as string });
      expect(result.skill).toStrictEqual(entry);
      expect(result).toMatchObject({ resultType: "complete", ttlMs: 0, cacheScope: "private" });
      expect(result).not.toHaveProperty("nextCursor");
    }
  });

  test.each([
    "skill://unknown/SKILL.md",
    "skill://pdf",
    "skill://pdf/",
    "skill://pdf/templates/invoice.md",
    "skill://pdf/SKILL.md/",
    "skill://PDF/SKILL.md",
    "skill://p%64f/SKILL.md",
    "skill://__proto__/SKILL.md",
    "skill:///SKILL.md",
    "SKILL.md",
    "",
    "skill://%ff/SKILL.md",
  ])("a URI of no skill MUST be refused with -32602: %j", async (uri) => {
    const getting = new ModernClient(serve()).request("skills/get", { uri });
    await expect(getting).rejects.toMatchObject({ code: -32602, message: `No skill is served at ${uri}` });
  });

  test("a URI is REQUIRED", async () => {
    const client = new ModernClient(serve());
    await expect(client.request("skills/get")).rejects.toMatchObject({ code: -32602 });
    await expect(client.request("skills/get", { uri: 1 })).rejects.toMatchObject({ code: -32602 });
  });

  test("an entry is that of the moment", async () => {
    const before = skill({ frontmatter: pdf.frontmatter, body: "before" });
    const after = skill({ frontmatter: pdf.frontmatter, body: "after" });
    const catalog = { skills: [before] };
    const client = new ModernClient(serve(catalog));
    const uri = "skill://pdf/SKILL.md";
    const first = await client.request("skills/get", { uri });
    catalog.skills = [after];
    const second = await client.request("skills/get", { uri });
    expect(second.skill.resources).not.toStrictEqual(first.skill.resources);
    expect(second.skill.resources[0].digest).toBe(sha256(await readBytes(client, uri)));
  });
});

describe("Reading Directories", () => {
  const directory = (uri: string, catalog: SkillDefinition[] = all): Promise<Json> =>
    new ModernClient(serve(catalog)).request("resources/directory/read", { uri });

  test("a directory lists its direct children with their ordinary metadata", async () => {
    const result = await directory("skill://pdf");
    expect(result).toStrictEqual({
      resultType: "complete",
      _meta: expect.anything(),
      resources: [
        {
          uri: "skill://pdf/SKILL.md",
          name: "pdf",
          description: "Fill in forms",
          mimeType: "text/markdown",
          size: expect.any(Number),
        },
        { uri: "skill://pdf/assets", name: "assets", mimeType: "inode/directory" },
        { uri: "skill://pdf/templates", name: "templates", mimeType: "inode/directory" },
      ],
      ttlMs: 0,
      cacheScope: "private",
    });
  });

  test("every directory MUST be listed: those above skills, in skills, and of generated skills", async () => {
    const client = new ModernClient(serve());
    const seen: string[] = [];
    const walk = async (uri: string): Promise<void> => {
      for (const page of await listAll(client, "resources/directory/read", "resources", { uri })) {
        for (const child of page) {
          seen.push(child.uri as string);
          if (child.mimeType === "inode/directory") await walk(child.uri as string);
          else await readBytes(client, child.uri as string);
        }
      }
    };
    for (const top of ["skill://acme", "skill://pdf", "skill://reports"]) await walk(top);
    expect(seen).toHaveLength(new Set(seen).size);
    expect(seen).toContain("skill://acme/billing/refunds/mails/apology/example.md");
    expect(seen).toContain("skill://reports/daily/data/today.csv");
  });

  test.each([
    "skill://pdf/SKILL.md",
    "skill://pdf/templates/invoice.md",
    "skill://pdf/unknown",
    "skill://unknown",
    "skill://pdf/",
    "skill://",
    "skill://pdf/templates/..",
    "docs://readme",
    "",
  ])("what is no directory MUST be refused with -32602: %j", async (uri) => {
    await expect(directory(uri)).rejects.toMatchObject({ code: -32602 });
  });

  test("long directories have pages, and their cursors are of no use elsewhere", async () => {
    const files = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`docs/${index}.md`, ""]));
    const big = skill({ frontmatter: pdf.frontmatter, body: "", files });
    const client = new ModernClient(serve([big], { pageSize: 10 }));
    const uri = "skill://pdf/docs";
    const pages = await listAll(client, "resources/directory/read", "resources", { uri });
    expect(pages.map(({ length }) => length)).toStrictEqual([10, 10, 5]);
    const { nextCursor: cursor } = await client.request("resources/directory/read", { uri });
    const elsewhere = client.request("resources/directory/read", { uri: "skill://pdf", cursor });
    await expect(elsewhere).rejects.toMatchObject({ code: -32602 });
    await expect(client.request("skills/list", { cursor })).rejects.toMatchObject({ code: -32602 });
  });
});

describe("callers who may see different skills", () => {
  const server = createServer({
    name: "skills",
    version: "1",
    extensions: [
      skills(all, {
        pageSize: 1,
        allows: async ({ path, uri, frontmatter }, { principal }) =>
          uri.endsWith(`/${frontmatter.name}/SKILL.md`) && principal?.scopes?.includes(path) === true,
      }),
    ],
  });
  const client = (...scopes: string[]): ModernClient => new ModernClient(server, { principal: { id: "ada", scopes } });

  test("list theirs, in pages that tell nothing of others", async () => {
    const pages = await listAll(client("pdf", "reports/daily"), "skills/list", "skills");
    expect(pages.map((page) => page.map(({ uri }) => uri as string))).toStrictEqual([
      ["skill://pdf/SKILL.md"],
      ["skill://reports/daily/SKILL.md"],
    ]);
    const { resources } = await client("pdf").request("resources/list");
    expect((resources as Json[]).map(({ uri }) => uri)).toStrictEqual(["skill://pdf/SKILL.md"]);
    expect((await client().request("skills/list")).skills).toStrictEqual([]);
  });

  test.each<[string, object]>([
    ["skills/get", { uri: "skill://pdf/SKILL.md" }],
    ["resources/read", { uri: "skill://pdf/SKILL.md" }],
    ["resources/read", { uri: "skill://p%64f/SKILL.md" }],
    ["resources/directory/read", { uri: "skill://pdf" }],
    ["resources/directory/read", { uri: "skill://reports" }],
  ])("get the answer of a server without them from %s: %j", async (method, params) => {
    const given = { ...params } as { uri: string };
    const stranger = given.uri.replace(/p%64f|pdf|reports/, "nobody");
    const refused = await client()
      .request(method, given)
      .catch((error: unknown) => error as Json);
    const unknown = await client()
      .request(method, { uri: stranger })
      .catch((error: unknown) => error as Json);
    expect(refused.code).toBe(-32602);
    expect(JSON.stringify([refused.code, refused.message]).replaceAll(given.uri, stranger)).toBe(
      JSON.stringify([unknown.code, unknown.message]),
    );
  });

  test("read the files of a nested skill if they may read one of the two", async () => {
    const file = "skill://acme/billing/refunds/mails/apology/example.md";
    await readBytes(client("acme/billing/refunds"), file);
    await readBytes(client("acme/billing/refunds/mails/apology"), file);
    await expect(readBytes(client("pdf"), file)).rejects.toMatchObject({ code: -32602 });
    const inner = client("acme/billing/refunds/mails/apology");
    const { resources } = await inner.request("resources/directory/read", { uri: "skill://acme/billing/refunds" });
    expect(resources).toMatchObject([{ name: "mails", mimeType: "inode/directory" }]);
  });

  test("are told that nobody else may keep what they got", async () => {
    expect(await client("pdf").request("skills/list")).toMatchObject({ cacheScope: "private" });
  });
});

describe("over HTTP", () => {
  const { fetch } = createHttpHandler(serve());
  const send = async (method: string, params: Record<string, unknown> = {}): Promise<[number, Json]> => {
    const response = await fetch(new Request("http://127.0.0.1/mcp", modern(method, params)));
    return [response.status, await readJson(response)];
  };

  test("skills are listed, got and read", async () => {
    const [status, { result }] = await send("skills/list");
    expect(status).toBe(200);
    expect(result.skills).toHaveLength(4);
    expect(result).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    const [, got] = await send("skills/get", { uri: "skill://pdf/SKILL.md" });
    expect(got.result.skill).toStrictEqual(result.skills[2]);
    const [, read] = await send("resources/read", { uri: "skill://pdf/templates/regional/eu.md" });
    expect(sha256(read.result.contents[0].text as string)).toBe(got.result.skill.resources[3].digest);
    const [, folder] = await send("resources/directory/read", { uri: "skill://pdf" });
    expect(folder.result.resources).toHaveLength(3);
  });

  test("what is not there is refused", async () => {
    const [, unknown] = await send("skills/get", { uri: "skill://unknown/SKILL.md" });
    expect(unknown.error.code).toBe(-32602);
  });
});
