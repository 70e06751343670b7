import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createAdminHandler } from "../../src/admin/admin.ts";
import { formatCell } from "../../src/admin/api/export.ts";
import { createCallId } from "../../src/log/call-id.ts";
import { OUTCOMES } from "../../src/log/call-record.ts";
import { documents, FakeGateway } from "./fixture/fake-gateway.ts";
import { NOW, seedCalls } from "./fixture/seeded-calls.ts";
import { send as sendRequest, startAdmin, TOKEN } from "./fixture/start-admin.ts";

describe("servers", () => {
  test("The list of servers has their status, endpoint and size in tokens", async () => {
    const { send } = await startAdmin();
    const { status, json } = await send("GET", "servers");
    expect(status).toBe(200);
    expect(json.servers.map((each: { slug: string }) => each.slug)).toEqual([
      "weather",
      "payments",
      "everything",
      "crm",
    ]);
    expect(json.servers[0]).toMatchObject({
      status: "active",
      isFromFile: true,
      endpoint: "http://127.0.0.1:8080/mcp/weather",
      toolCount: 2,
      activeToolCount: 2,
    });
    expect(json.servers[0].tokens).toBeGreaterThan(50);
  });

  test("A server that is made has revision 1, and a second change must name it", async () => {
    const { send, gateway } = await startAdmin();
    const made = await send("PUT", "servers/notes", { title: "Notes", tools: {} });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({ slug: "notes", revision: 1, isFromFile: false });

    const blind = await send("PUT", "servers/notes", { title: "Notes 2" });
    expect(blind.status).toBe(428);
    expect(blind.json.error).toMatchObject({ code: "revision_required" });
    expect(blind.json.error.message).toContain('If-Match: "1"');

    const changed = await send("PUT", "servers/notes", { title: "Notes 2" }, { "if-match": '"1"' });
    expect(changed.status).toBe(200);
    expect(changed.json.revision).toBe(2);

    const late = await send("PUT", "servers/notes", { title: "Notes 3" }, { "if-match": '"1"' });
    expect(late.status).toBe(412);
    expect(gateway.server("notes")?.config.title).toBe("Notes 2");
  });

  test("The entity tag of a server can be sent back as If-Match", async () => {
    const { send } = await startAdmin();
    const read = await send("GET", "servers/crm");
    const tag = read.headers.get("etag") ?? "";
    const changed = await send("PATCH", "servers/crm", { status: "active" }, { "if-match": tag });
    expect(changed.status).toBe(200);
    expect(changed.json).toMatchObject({ status: "active", title: "Customer records" });
  });

  test("A change that loses a race is told so, though the revision was right when it came", async () => {
    const { send, gateway } = await startAdmin();
    const put = gateway.putServer.bind(gateway);
    gateway.putServer = async (slug, config, revision) => {
      await put(slug, { title: "Faster" }, revision);
      return put(slug, config, revision);
    };
    const late = await send("PATCH", "servers/crm", { title: "Slower" }, { "if-match": '"1"' });
    expect(late.status).toBe(412);
    expect(late.json.error.message).toContain("revision 2");
  });

  test("A patch removes members that are null, and keeps those that it does not name", async () => {
    const { send, gateway } = await startAdmin();
    await send("PATCH", "servers/crm", { title: null, description: "Contacts" }, { "if-match": '"1"' });
    expect(gateway.server("crm")?.config).toMatchObject({ description: "Contacts", status: "draft" });
    expect(gateway.server("crm")?.config).not.toHaveProperty("title");
  });

  test("An invalid configuration is refused with the place of the mistake, and nothing changes", async () => {
    const { send, gateway } = await startAdmin();
    const { status, json } = await send("PUT", "servers/crm", { titel: "x" }, { "if-match": '"1"' });
    expect(status).toBe(422);
    expect(json.error.message).toContain("servers.crm.titel: unknown property");
    expect(json.error.problems).toEqual([
      { path: ["servers", "crm", "titel"], message: expect.stringContaining('did you mean "title"?') },
    ]);
    expect(gateway.server("crm")?.config.title).toBe("Customer records");
  });

  test.each(["PUT", "PATCH", "DELETE"])("%s refuses servers of the configuration file", async (method) => {
    const { send, gateway } = await startAdmin();
    const { status, json } = await send(method, "servers/weather", method === "DELETE" ? undefined : { title: "x" });
    expect(status).toBe(409);
    expect(json.error.code).toBe("from_file");
    const entries = await gateway.storage.audit.list();
    expect(entries.some((entry) => entry.subject === "weather")).toBe(false);
  });

  test.each(["Crm", "crm-", "-crm", "a_b", "x".repeat(65), "a%2Fb"])("The slug %s is refused", async (slug) => {
    const { send } = await startAdmin();
    expect((await send("PUT", `servers/${slug}`, {})).status).toBe(400);
  });

  test("A removed server is gone, and removing it needs its revision", async () => {
    const { send } = await startAdmin();
    expect((await send("DELETE", "servers/crm")).status).toBe(428);
    expect((await send("DELETE", "servers/crm", undefined, { "if-match": '"1"' })).status).toBe(204);
    expect((await send("GET", "servers/crm")).status).toBe(404);
  });

  test("A configuration that is written back as it was shown keeps its hidden values", async () => {
    const { send, gateway } = await startAdmin();
    const before = gateway.server("crm")?.config.credentials;
    const { json } = await send("GET", "servers/crm");
    expect(json.config.credentials.login.basic.password).toBe("[secret]");
    const written = await send("PUT", "servers/crm", { ...json.config, title: "Renamed" }, { "if-match": '"1"' });
    expect(written.status).toBe(200);
    expect(gateway.server("crm")?.config.credentials).toEqual(before);
  });

  test("A hidden value without a counterpart is refused", async () => {
    const { send } = await startAdmin();
    const { status, json } = await send("PUT", "servers/new", { credentials: { a: { bearer: "[secret]" } } });
    expect(status).toBe(400);
    expect(json.error.message).toContain("credentials.a.bearer");
  });
});

describe("tools", () => {
  test("A tool becomes a draft by its override, and active again when the override goes", async () => {
    const { send } = await startAdmin();
    const drafted = await send("PATCH", "servers/crm/tools/find_contact", { status: "draft" }, { "if-match": '"1"' });
    expect(drafted.json.tools[0].status).toBe("draft");
    const reset = await send("PATCH", "servers/crm/tools/find_contact", { status: null }, { "if-match": '"2"' });
    expect(reset.json.tools[0].status).toBe("active");
  });

  test("Unknown members and values of an override are refused", async () => {
    const { send } = await startAdmin();
    const path = "servers/crm/tools/find_contact";
    expect((await send("PATCH", path, { state: "draft" })).json.error.message).toContain("status, title");
    expect((await send("PATCH", path, { status: "off" })).json.error.message).toContain("active, draft");
    expect((await send("PATCH", path, {})).status).toBe(400);
    const unknown = await send("PATCH", "servers/crm/tools/nope", { status: "draft" });
    expect(unknown.status).toBe(404);
    expect(unknown.json.error.message).toBe('The server "crm" has no tool "nope". There is "find_contact".');
  });

  test("Trying a tool calls it, and answers with the id of its record", async () => {
    const { send, gateway } = await startAdmin();
    const { status, json } = await send("POST", "servers/weather/tools/get_weather/try", {
      arguments: { city: "Lisbon" },
    });
    expect(status).toBe(200);
    expect(json.result.content[0].text).toContain("Lisbon");
    expect((await send("GET", `calls/${json.id}`)).json.call).toMatchObject({
      tool: "get_weather",
      principal: "admin",
    });
    expect((await gateway.storage.audit.list(1))[0]).toMatchObject({
      action: "tool.try",
      subject: "weather/get_weather",
    });
  });
});

describe("upstreams", () => {
  test("Upstreams are restarted and their changes accepted", async () => {
    const { send } = await startAdmin();
    const before = (await send("GET", "upstreams")).json.upstreams;
    expect(before.map((each: { state: string }) => each.state)).toEqual(["connected", "connected", "failed"]);
    expect((await send("POST", "servers/everything/upstreams/live/restart", {})).status).toBe(204);
    expect((await send("POST", "servers/everything/upstreams/docs/accept", {})).status).toBe(204);
    const after = (await send("GET", "servers/everything/upstreams")).json.upstreams;
    expect(after[1].changedTools).toEqual([]);
    expect(after[2].state).toBe("connected");
    expect((await send("POST", "servers/everything/upstreams/nope/restart", {})).status).toBe(404);
  });
});

describe("secrets and keys", () => {
  test("Secrets are set and removed, for all and for one principal", async () => {
    const { send, gateway } = await startAdmin();
    expect((await send("PUT", "secrets/9", { value: "begins with a digit" })).status).toBe(204);
    expect((await send("PUT", "secrets/github", { value: "ghp_x" })).status).toBe(204);
    expect((await send("PUT", "principals/user%40example.com/credentials/github", { value: "own" })).status).toBe(204);
    expect(gateway.storage.secrets.get("github")?.reveal()).toBe("ghp_x");
    expect(gateway.storage.secrets.get("github", "user@example.com")?.reveal()).toBe("own");
    expect((await send("DELETE", "secrets/github")).status).toBe(204);
    expect((await send("DELETE", "secrets/github")).status).toBe(404);
    expect((await send("DELETE", "principals/user%40example.com/credentials/github")).status).toBe(204);
  });

  test.each([
    ["no value", {}],
    ["an empty value", { value: "" }],
    ["a number", { value: 5 }],
    ["a value that is too long", { value: "x".repeat(16_385) }],
    ["another member", { value: "x", name: "y" }],
  ])("A secret with %s is refused", async (_, body) => {
    const { send } = await startAdmin();
    expect((await send("PUT", "secrets/github", body)).status).toBe(400);
  });

  test("A key is shown when it is made, and never again", async () => {
    const { send } = await startAdmin();
    const made = await send("POST", "keys", { name: "Bot", servers: ["weather"], expiresAt: NOW + 1000 });
    expect(made.status).toBe(201);
    expect(made.json.secret).toMatch(/^twk_/);
    const { text, json } = await send("GET", "keys");
    expect(text).not.toContain(made.json.secret);
    expect(json.keys).toContainEqual(expect.objectContaining({ name: "Bot", servers: ["weather"] }));
    expect((await send("DELETE", `keys/${made.json.key.id}`)).status).toBe(204);
    expect((await send("DELETE", `keys/${made.json.key.id}`)).status).toBe(404);
  });

  test.each([
    ["without a name", {}],
    ["for a server that does not exist", { name: "x", servers: ["nope"] }],
    ["for no server", { name: "x", servers: [] }],
    ["that has expired", { name: "x", expiresAt: NOW }],
  ])("A key %s is refused", async (_, body) => {
    const { send } = await startAdmin();
    expect((await send("POST", "keys", body)).status).toBe(400);
  });
});

describe("analytics", () => {
  test("The overview compares a time span with the one before", async () => {
    const { send, gateway } = await startAdmin();
    const { json } = await send("GET", "analytics/overview?last=24h");
    const inSpan = gateway.calls.filter(({ at }) => at >= NOW - 86_400_000 && at < NOW);
    expect(json.totals.calls).toBe(inSpan.length);
    expect(json.before.calls).toBe(gateway.calls.length - inSpan.length);
    expect(json.servers).toEqual({ active: 3, paused: 0, draft: 1, withProblems: 1 });
  });

  test("A series has whole intervals without gaps, and all calls", async () => {
    const { send } = await startAdmin();
    const { json } = await send("GET", "analytics/series?last=24h");
    expect(json.step).toBe(900_000);
    expect(json.points).toHaveLength(96);
    expect(json.from % json.step).toBe(0);
    const gaps = json.points.filter(
      (point: { at: number }, index: number) => point.at !== json.from + index * json.step,
    );
    expect(gaps).toEqual([]);
  });

  test("Tools are listed by calls and by failures, within a filter", async () => {
    const { send } = await startAdmin();
    const byCalls = (await send("GET", "analytics/tools?by=calls&limit=3")).json.tools;
    expect(byCalls[0]).toMatchObject({ server: "weather", tool: "get_weather" });
    expect(byCalls).toHaveLength(3);
    const failing = (await send("GET", "analytics/tools?by=failures&server=payments")).json.tools;
    expect(new Set(failing.map((each: { server: string }) => each.server))).toEqual(new Set(["payments"]));
    expect((await send("GET", "analytics/clients")).json.clients[0].calls).toBeGreaterThan(100);
  });

  test.each(["last=1", "last=0h", "last=500d", "from=x", "to=5", "from=5&to=4", "outcome=nope", "step=1s&last=7d"])(
    "The query %s is refused with a reason",
    async (query) => {
      const { send } = await startAdmin();
      const { status, json } = await send("GET", `analytics/series?${query}`);
      expect(status).toBe(400);
      expect(json.error.message.length).toBeGreaterThan(20);
    },
  );

  test("A response that the client has already is not sent again", async () => {
    const { send } = await startAdmin();
    const first = await send("GET", "analytics/series?last=1h");
    const again = await send("GET", "analytics/series?last=1h", undefined, {
      "if-none-match": first.headers.get("etag") ?? "",
    });
    expect(again.status).toBe(304);
    expect(again.text).toBe("");
  });
});

describe("calls", () => {
  test("The call list goes through all pages, newest first, without a call twice", async () => {
    const { send } = await startAdmin();
    const seen: { id: string; at: number }[] = [];
    let before = "";
    for (let page = 0; page < 20; page += 1) {
      const { json } = await send("GET", `calls?last=2d&tool=get_forecast&limit=30${before}`);
      seen.push(...json.calls);
      if (json.next === undefined) break;
      before = `&before=${json.next}`;
    }
    expect(seen.length).toBeGreaterThan(90);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
    expect(seen.map(({ at }) => at)).toEqual(seen.map(({ at }) => at).toSorted((left, right) => right - left));
  });

  test("Each filter of the call list holds", async () => {
    const { send } = await startAdmin();
    const filters = {
      server: "payments",
      outcome: "tool-error",
      principal: "key_mobile_app",
      tool: "create_payment_intent",
    };
    const { json } = await send("GET", `calls?last=24h&${new URLSearchParams(filters).toString()}`);
    expect(json.calls.length).toBeGreaterThan(0);
    for (const call of json.calls) expect(call).toMatchObject(filters);
    const failures = (await send("GET", "calls?failures=true")).json.calls;
    expect(failures.some((call: { outcome: string }) => call.outcome === "ok")).toBe(false);
    const { calls } = (await send("GET", "calls?client=code-editor")).json;
    expect(new Set(calls.map((call: { clientName: string }) => call.clientName))).toEqual(new Set(["code-editor"]));
  });

  test("An unknown call is not found", async () => {
    const { send } = await startAdmin();
    expect((await send("GET", "calls/nope")).status).toBe(404);
  });

  test("The export has every call, as lines of JSON or as a table", async () => {
    const { send, gateway } = await startAdmin();
    const lines = await send("GET", "calls/export?format=jsonl&last=2d");
    expect(lines.headers.get("content-disposition")).toBe('attachment; filename="calls.jsonl"');
    const ids = lines.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).id);
    expect(ids).toHaveLength(gateway.calls.length);
    expect(new Set(ids)).toEqual(new Set(gateway.calls.map(({ id }) => id)));
    const table = await send("GET", "calls/export?format=csv&last=2d");
    expect(table.headers.get("content-type")).toContain("text/csv");
    expect(table.text.trimEnd().split("\r\n")).toHaveLength(ids.length + 1);
    expect((await send("GET", "calls/export?format=xml")).status).toBe(400);
  });

  test("Live calls come as events, and the listener ends with the client", async () => {
    const { url, gateway } = await startAdmin();
    const follow = gateway.storage.calls.follow.bind(gateway.storage.calls);
    let followers = 0;
    gateway.storage.calls.follow = (listener) => {
      followers += 1;
      const stop = follow(listener);
      return () => {
        followers -= 1;
        stop();
      };
    };
    const leave = new AbortController();
    const response = await fetch(`${url}/api/v1/calls/live?server=weather`, {
      headers: { authorization: "Bearer canary-admin-token-81f3" },
      signal: leave.signal,
    });
    const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
    await reader.read();
    const [other, own] = ["payments", "weather"].map((slug) => gateway.calls.find(({ server }) => server === slug));
    if (other === undefined || own === undefined) throw new Error("the fixture lacks calls");
    const [otherId, ownId] = [createCallId(NOW), createCallId(NOW)];
    gateway.storage.calls.add({ ...other, id: otherId });
    gateway.storage.calls.add({ ...own, id: ownId });
    const { value } = await reader.read();
    expect(value).toContain(`event: call\nid: ${ownId}\n`);
    expect(value).not.toContain(otherId);
    leave.abort();
    await expect.poll(() => followers).toBe(0);
  });

  test("Live calls end with the session, though the client does not read, and later calls harm nothing", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const gateway = await FakeGateway.create({ calls: seedCalls(1) });
    const clock = { now: NOW };
    const handle = createAdminHandler(gateway, { token: TOKEN, documents, now: () => clock.now });
    let response: ServerResponse | undefined;
    const errors: unknown[] = [];
    const http = createServer((request, answer) => {
      // Without a listener, such an error would end the gateway.
      response = answer.on("error", (error) => errors.push(error));
      handle(request, answer);
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      http.close();
      http.closeAllConnections();
    });
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const login = await sendRequest(`${url}/api/v1/session`, "POST", { token: TOKEN }, { origin: url });
    const cookie = (login.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
    const client = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(`${url}/api/v1/calls/live`, { headers: { cookie } }, resolve).once("error", reject).end();
    });
    client.pause();
    const [call] = gateway.calls;
    if (call === undefined) throw new Error("the fixture lacks calls");
    const add = (): void => gateway.storage.calls.add({ ...call, id: createCallId(NOW), node: "x".repeat(100_000) });
    // The operating system takes some megabytes for a client that does not read. What remains is in the response.
    let unread = 0;
    const countUnread = (): number => {
      unread = response?.writableLength === 0 ? 0 : unread + 1;
      if (unread === 0) add();
      return unread;
    };
    await expect.poll(countUnread, { interval: 2 }).toBeGreaterThan(20);
    clock.now += 13 * 3_600_000;
    vi.advanceTimersByTime(15_000);
    add();
    await expect.poll(() => [response?.destroyed, errors]).toEqual([true, []]);
  });
});

describe("HEAD", () => {
  test.each(["servers", "calls/export", "calls/live"])("HEAD of %s has the headers of GET, and ends", async (path) => {
    const { send } = await startAdmin();
    const { status, text } = await send("HEAD", path);
    expect([status, text]).toEqual([200, ""]);
  });
});

describe("cells of the table", () => {
  test("No text in a cell begins like a formula, and every text can be read back", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `=${text}`),
          fc.constantFrom("+1", "-1", "@x", "\t=1", " =1"),
        ),
        (text) => {
          const cell = formatCell(text);
          const isQuoted = cell.startsWith('"');
          const read = isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell;
          expect(read).not.toMatch(/^\s*[=+\-@|%]/);
          expect(read === text || read === `'${text}`).toBe(true);
          if (!isQuoted) expect(cell).not.toMatch(/[",\r\n]/);
        },
      ),
    );
  });
});

describe("state", () => {
  test("Health names everything that is not as it should be", async () => {
    const { send, gateway } = await startAdmin();
    gateway.logState = {
      ...gateway.logState,
      isHealthy: false,
      lost: 3,
      error: "connection refused",
    };
    const { json } = await send("GET", "health");
    expect(json.status).toBe("degraded");
    expect(json.problems).toEqual([
      "The call log cannot be written: connection refused.",
      "3 records were lost, because the spool was full.",
      expect.stringMatching(
        /^everything: The upstream live could not be reached\. Its tools are left out\.\nnpm error/,
      ),
    ]);
    gateway.isUp = false;
    expect((await send("GET", "health")).json.status).toBe("down");
  });

  test("Every change has an entry in the audit log, and reading has none", async () => {
    const { send, gateway } = await startAdmin();
    const start = (await gateway.storage.audit.list()).length;
    for (const path of ["servers", "keys", "secrets", "config", "audit", "health", "calls", "metrics", "upstreams"]) {
      expect((await send("GET", path)).status).toBe(200);
    }
    expect(await gateway.storage.audit.list()).toHaveLength(start);
    await send("PUT", "servers/notes", {});
    await send("PATCH", "servers/crm/tools/find_contact", { status: "draft" }, { "if-match": '"1"' });
    await send("PUT", "secrets/a", { value: "x" });
    await send("DELETE", "secrets/a");
    await send("PUT", "principals/p/credentials/a", { value: "x" });
    const { id } = (await send("POST", "keys", { name: "x" })).json.key;
    await send("DELETE", `keys/${id}`);
    await send("POST", "servers/everything/upstreams/docs/accept", {});
    await send("POST", "servers/everything/upstreams/docs/restart", {});
    await send("DELETE", "servers/notes", undefined, { "if-match": '"1"' });
    const entries = (await gateway.storage.audit.list()).toReversed().slice(start);
    expect(entries.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
      "server.put notes",
      "tool.change crm",
      "secret.set a",
      "secret.remove a",
      "secret.set a of p",
      `key.create ${id}`,
      `key.revoke ${id}`,
      "upstream.accept everything/docs",
      "upstream.restart everything/docs",
      "server.remove notes",
    ]);
  });

  test("Probes need no token, and say whether the gateway takes calls; metrics need one", async () => {
    const { url, gateway } = await startAdmin();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    gateway.isUp = false;
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    const headers = { authorization: "Bearer canary-admin-token-81f3" };
    expect(await (await fetch(`${url}/metrics`, { headers })).text()).toContain("toolwire_calls_total");
  });

  test("Sealing keys are changed by a command, not by a name", async () => {
    const { send } = await startAdmin();
    expect((await send("POST", "secrets/rotate")).json).toEqual({ sealed: 0 });
  });

  test("Metrics are text for Prometheus", async () => {
    const { send } = await startAdmin();
    const { headers, text } = await send("GET", "metrics");
    expect(headers.get("content-type")).toContain("version=0.0.4");
    expect(text).toContain("toolwire_calls_total");
  });
});

describe("requests that are not as they should be", () => {
  test.each([
    ["an unknown path", "GET", "nothing", 404],
    ["a wrong method", "POST", "servers", 405],
    ["a broken percent sign", "GET", "servers/%zz", 400],
  ])("%s is answered with an error that says why", async (_, method, path, status) => {
    const { send } = await startAdmin();
    const sent = await send(method, path, method === "POST" ? {} : undefined);
    expect(sent.status).toBe(status);
    expect(sent.json.error.message.length).toBeGreaterThan(15);
  });

  test("Bodies that are no JSON object are refused", async () => {
    const { send, url } = await startAdmin();
    expect((await send("POST", "keys", [])).status).toBe(400);
    const headers = { authorization: "Bearer canary-admin-token-81f3", "content-type": "application/json" };
    const broken = await fetch(`${url}/api/v1/keys`, { method: "POST", body: "{", headers });
    expect(broken.status).toBe(400);
    const binary = await fetch(`${url}/api/v1/keys`, {
      method: "POST",
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
      headers,
    });
    expect(binary.status).toBe(400);
    const form = await fetch(`${url}/api/v1/keys`, {
      method: "POST",
      body: "name=x",
      headers: { ...headers, "content-type": "text/plain" },
    });
    expect(form.status).toBe(415);
  });

  test("A body that is too large is refused, with and without a length", async () => {
    const { send, url } = await startAdmin();
    expect((await send("POST", "keys", { name: "x".repeat(1_100_000) })).status).toBe(413);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: "Bearer canary-admin-token-81f3", "content-type": "application/json" };
      const chunked = httpRequest(`${url}/api/v1/keys`, { method: "POST", headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      chunked.on("error", reject);
      chunked.write("x".repeat(1_048_577));
    });
    expect(status).toBe(413);
  });

  test("A failure inside reaches the caller as an id, and the log in full", async () => {
    const { send, gateway, errors } = await startAdmin();
    const failure = new Error("password of the database is hunter2");
    gateway.storage.calls.totals = () => Promise.reject(failure);
    const { status, text, json } = await send("GET", "analytics/overview");
    expect(status).toBe(500);
    expect(text).not.toContain("hunter2");
    expect(json.error.message).toMatch(/id [0-9a-f-]{36}/);
    expect(errors).toEqual([failure]);
  });

  test("All outcomes can be asked for", async () => {
    const { send } = await startAdmin();
    for (const outcome of OUTCOMES) expect((await send("GET", `calls?outcome=${outcome}`)).status).toBe(200);
  });
});
