import { describe, expect, test } from "vitest";
import { LITERAL_SECRET } from "./fixture/seeded-servers.ts";
import { firstCalls, NOW } from "./fixture/seeded-calls.ts";
import { startAdmin } from "./fixture/start-admin.ts";

const TOOL = { description: "Lists notes", request: { method: "GET", url: "https://crm.example/notes" } };
const UPSTREAM = { url: "https://docs.example.com/mcp" };
const FIRST = { "if-match": '"1"' };

describe("tools by hand", () => {
  test("A tool is added to a server beside those that are there, and the change is noted", async () => {
    const { send, gateway } = await startAdmin();
    const made = await send("PUT", "servers/crm/tools/list_notes", TOOL, FIRST);
    expect(made.status).toBe(200);
    expect(made.json).toMatchObject({ slug: "crm", revision: 2 });
    expect(made.json.tools.map(({ name }: { name: string }) => name)).toEqual(["find_contact", "list_notes"]);
    const { config } = gateway.server("crm") ?? {};
    expect(config?.tools?.["list_notes"]).toEqual(TOOL);
    expect(config?.tools).toHaveProperty("find_contact");
    expect(config?.title).toBe("Customer records");
    expect((await gateway.storage.audit.list(1))[0]).toMatchObject({ action: "tool.put", subject: "crm" });
  });

  test("A tool is replaced as a whole: what the new one does not have is gone", async () => {
    const { send, gateway } = await startAdmin();
    await send("PUT", "servers/crm/tools/find_contact", { ...TOOL, response: { select: "a" } }, FIRST);
    await send("PUT", "servers/crm/tools/find_contact", TOOL, { "if-match": '"2"' });
    expect(gateway.server("crm")?.config.tools).toEqual({ find_contact: TOOL });
  });

  test("A mistake is told with its place, and nothing changes", async () => {
    const { send, gateway } = await startAdmin();
    const bad = { ...TOOL, request: { method: "GET", url: "notes" }, credential: "nope" };
    const refused = await send("PUT", "servers/crm/tools/list_notes", bad, FIRST);
    expect(refused.status).toBe(422);
    expect(refused.json.error.code).toBe("invalid_configuration");
    const base = ["servers", "crm", "tools", "list_notes"];
    expect(refused.json.error.problems.map(({ path }: { path: unknown }) => path)).toEqual([
      [...base, "request", "url"],
      [...base, "credential"],
    ]);
    expect(Object.keys(gateway.server("crm")?.config.tools ?? {})).toEqual(["find_contact"]);
  });

  test("A removed tool takes its overrides along, so that another one of its name starts afresh", async () => {
    const { send, gateway } = await startAdmin();
    await send("PUT", "servers/crm/tools/list_notes", TOOL, FIRST);
    await send("PATCH", "servers/crm/tools/find_contact", { status: "draft" }, { "if-match": '"2"' });
    await send("PATCH", "servers/crm/tools/list_notes", { title: "Notes" }, { "if-match": '"3"' });
    const removed = await send("DELETE", "servers/crm/tools/find_contact", undefined, { "if-match": '"4"' });
    expect(removed.status).toBe(200);
    expect(gateway.server("crm")?.config).toMatchObject({
      tools: { list_notes: TOOL },
      overrides: { list_notes: { title: "Notes" } },
    });
    expect(gateway.server("crm")?.config.overrides).not.toHaveProperty("find_contact");
    expect((await gateway.storage.audit.list(1))[0]).toMatchObject({ action: "tool.remove", subject: "crm" });
    await send("DELETE", "servers/crm/tools/list_notes", undefined, { "if-match": '"5"' });
    expect(gateway.server("crm")?.config).not.toHaveProperty("tools");
    expect(gateway.server("crm")?.config).not.toHaveProperty("overrides");
  });

  test("Only what is defined by hand can be removed", async () => {
    const { send } = await startAdmin();
    const none = await send("DELETE", "servers/crm/tools/constructor", undefined, FIRST);
    expect(none.status).toBe(404);
    expect(none.json.error.message).toMatch(/defines no tool "constructor" by hand\. Tools of documents/);
    const upstream = await send("DELETE", "servers/crm/upstreams/docs", undefined, FIRST);
    expect(upstream.json.error.message).toBe('This server defines no upstream "docs" by hand.');
  });
});

describe("upstreams by hand", () => {
  test("An upstream is added, changed and removed; overrides of tools stay", async () => {
    const { send, gateway } = await startAdmin();
    await send("PATCH", "servers/crm/tools/find_contact", { title: "Find" }, FIRST);
    const made = await send("PUT", "servers/crm/upstreams/docs", UPSTREAM, { "if-match": '"2"' });
    expect(made.json.upstreams).toMatchObject([{ name: "docs", target: UPSTREAM.url, isPinned: false }]);
    const headers = { authorization: `Bearer ${LITERAL_SECRET}` };
    const changed = await send("PUT", "servers/crm/upstreams/docs", { ...UPSTREAM, headers }, { "if-match": '"3"' });
    expect(changed.text).not.toContain(LITERAL_SECRET);
    // As the page writes back what it was shown.
    const shown = { ...changed.json.config.upstreams.docs, pin: true };
    expect(shown.headers).toEqual({ authorization: "[secret]" });
    const again = await send("PUT", "servers/crm/upstreams/docs", shown, { "if-match": '"4"' });
    expect(again.status).toBe(200);
    expect(gateway.server("crm")?.config.upstreams).toEqual({ docs: { ...UPSTREAM, headers, pin: true } });
    expect((await gateway.storage.audit.list(1))[0]).toMatchObject({ action: "upstream.put" });
    await send("DELETE", "servers/crm/upstreams/docs", undefined, { "if-match": '"5"' });
    expect(gateway.server("crm")?.config).not.toHaveProperty("upstreams");
    expect(gateway.server("crm")?.config.overrides).toEqual({ find_contact: { title: "Find" } });
    expect((await gateway.storage.audit.list(1))[0]).toMatchObject({ action: "upstream.remove" });
  });
});

test.each([
  ["PUT", "tools/get_weather"],
  ["DELETE", "tools/get_weather"],
  ["PUT", "upstreams/docs"],
])("%s of %s is refused on a server of the file, on an unknown one, and without the revision", async (method, path) => {
  const { send } = await startAdmin();
  const body = method === "DELETE" ? undefined : path.startsWith("tools") ? TOOL : UPSTREAM;
  expect((await send(method, `servers/weather/${path}`, body)).json.error.code).toBe("from_file");
  expect((await send(method, `servers/nowhere/${path}`, body)).status).toBe(404);
  expect((await send(method, `servers/crm/${path}`, body)).status).toBe(428);
  expect((await send(method, `servers/crm/${path}`, body, { "if-match": '"9"' })).status).toBe(412);
});

describe("what an admin may not do", () => {
  test("Without the word of the configuration file, no server that is made here uses the machine", async () => {
    const { send, gateway } = await startAdmin();
    const upstream = { command: "sh", args: ["-c", "id"] };
    const refused = await send("PUT", "servers/crm/upstreams/shell", upstream, FIRST);
    expect(refused.status).toBe(422);
    expect(refused.json.error.problems).toEqual([
      {
        path: ["servers", "crm", "upstreams", "shell", "command"],
        message: expect.stringMatching(/starts no program.*admin: \{ machineAccess: true \}/),
      },
    ]);
    expect(gateway.server("crm")?.config).not.toHaveProperty("upstreams");
  });

  test("With it, an admin can", async () => {
    const { send, gateway } = await startAdmin({ machineAccess: true });
    expect((await send("PUT", "servers/crm/upstreams/shell", { command: "sh" }, FIRST)).status).toBe(200);
    expect(gateway.server("crm")?.config.upstreams).toEqual({ shell: { command: "sh" } });
  });

  test("An environment variable or a file that is refused is not told apart from one that does not exist", async () => {
    const { send } = await startAdmin();
    const messages = await Promise.all(
      ["${env:PATH}", "${env:NO_SUCH_VARIABLE_HERE}"].map(async (text) => {
        const { json } = await send("PUT", "servers/new", { upstreams: { x: { ...UPSTREAM, headers: { a: text } } } });
        return json.error.message;
      }),
    );
    expect(messages[0]).toContain("reads no environment variable");
    expect(messages[0]).toBe(messages[1]);
  });
});

describe("a server as YAML", () => {
  test("It is what a file has below `servers`, without secrets", async () => {
    const { send } = await startAdmin();
    const { json } = await send("GET", "servers/crm/yaml");
    expect(json.yaml).toMatch(/^crm:\n {2}status: draft\n {2}title: Customer records\n {2}tools:\n {4}find_contact:\n/);
    expect(json.yaml).toContain('password: "[secret]"');
    expect(json.yaml).not.toContain(LITERAL_SECRET);
    expect((await send("GET", "servers/nowhere/yaml")).status).toBe(404);
  });

  test("A short document is part of it, and a long one is left out with a word about it", async () => {
    const { send } = await startAdmin();
    const document = (title: string): object => ({ openapi: "3.1.0", info: { title, version: "1" }, paths: {} });
    await send("PUT", "servers/short", { openapi: { document: document("Short"), baseUrl: "https://a.example" } });
    expect((await send("GET", "servers/short/yaml")).json.yaml).toContain("title: Short");
    await send("PUT", "servers/long", { openapi: { document: document("x".repeat(65_536)) } });
    const { yaml } = (await send("GET", "servers/long/yaml")).json;
    expect(yaml).toMatch(
      /^# The imported document is left out: it is long\. GET \/api\/v1\/servers\/long has it\.\nlong:\n/,
    );
    expect(yaml.length).toBeLessThan(500);
  });
});

describe("the time span that fits", () => {
  test.each([
    [5, "15m"],
    [15, "1h"],
    [59, "1h"],
    [60, "6h"],
    [6 * 60, "24h"],
    [40 * 24 * 60, "24h"],
  ])("With a first call %i minutes ago it is %s", async (minutes, span) => {
    const [call] = firstCalls();
    if (call === undefined) throw new Error("the fixture lacks calls");
    // One more is of this moment.
    const calls = [
      { ...call, at: NOW - minutes * 60_000 - 1 },
      { ...call, id: `${call.id}-2`, at: NOW - 1 },
    ];
    const { send } = await startAdmin({ calls });
    expect((await send("GET", "analytics/span")).json).toEqual({ span });
  });

  test("Without a call it is a day", async () => {
    const { send } = await startAdmin({ calls: [] });
    expect((await send("GET", "analytics/span")).json).toEqual({ span: "24h" });
  });
});

test("A server says what its callers need", async () => {
  const { send } = await startAdmin();
  const oauth = { issuer: "https://login.example" };
  const accessOf = async (slug: string): Promise<string> => (await send("GET", `servers/${slug}`)).json.access;
  expect(await accessOf("weather")).toBe("keys");
  expect(await accessOf("crm")).toBe("open");
  const { gateway, send: other } = await startAdmin({
    servers: [
      { slug: "tokens", isFromFile: true, tools: [], config: { auth: { oauth } } },
      { slug: "both", isFromFile: true, tools: [], config: { auth: { oauth, apiKeys: true } } },
    ],
  });
  const { servers } = (await other("GET", "servers")).json;
  expect(servers.map(({ access }: { access: string }) => access)).toEqual(["tokens", "keys-or-tokens"]);
  expect(gateway.servers()).toHaveLength(2);
});
