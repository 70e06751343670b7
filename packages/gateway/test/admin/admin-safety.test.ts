/** The threats to the admin API by their names: `admin-is-for-admins` and `secrets-appear-nowhere`. */
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { describe, expect, test } from "vitest";
import { LITERAL_SECRET, STORED_SECRET } from "./fixture/seeded-servers.ts";
import { send, startAdmin, TOKEN } from "./fixture/start-admin.ts";

const READS = [
  "servers",
  "servers/weather",
  "servers/payments",
  "servers/everything",
  "servers/crm",
  "servers/everything/upstreams",
  "upstreams",
  "secrets",
  "credentials",
  "keys",
  "analytics/overview",
  "analytics/series",
  "analytics/tools",
  "analytics/clients",
  "calls",
  "calls/export?format=jsonl",
  "calls/export?format=csv",
  "config",
  "audit",
  "health",
  "metrics",
];

const CHANGES: readonly (readonly [string, string, object?])[] = [
  ["PUT", "servers/new", {}],
  ["PATCH", "servers/crm", { title: "x" }],
  ["DELETE", "servers/crm"],
  ["PATCH", "servers/crm/tools/find_contact", { status: "draft" }],
  ["POST", "servers/weather/tools/get_weather/try", { arguments: {} }],
  ["POST", "servers/new/import", { document: "{}" }],
  ["POST", "servers/new/import/x/commit", { operations: ["x"] }],
  ["POST", "servers/everything/upstreams/docs/restart", {}],
  ["POST", "servers/everything/upstreams/docs/accept", {}],
  ["PUT", "secrets/a", { value: "x" }],
  ["DELETE", "secrets/payments"],
  ["PUT", "principals/p/credentials/a", { value: "x" }],
  ["DELETE", "principals/key_mobile_app/credentials/payments-connect"],
  ["POST", "keys", { name: "x" }],
  ["DELETE", "keys/x"],
];

async function logIn(url: string): Promise<string> {
  const response = await send(`${url}/api/v1/session`, "POST", { token: TOKEN }, { origin: url });
  expect(response.status).toBe(204);
  return (response.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
}

/** `fetch` does not let programs choose `Host`. */
function sendWithHost(url: string, path: string, host: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers: IncomingHttpHeaders = { host, authorization: `Bearer ${TOKEN}` };
    httpRequest(`${url}${path}`, { headers, setHost: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    })
      .on("error", reject)
      .end();
  });
}

describe("admin-is-for-admins", () => {
  test("admin-is-for-admins: without credentials nothing is read or changed", async () => {
    const { url, gateway } = await startAdmin();
    const before = await gateway.storage.audit.list();
    for (const path of READS) {
      const { status, json } = await send(`${url}/api/v1/${path}`, "GET");
      expect([path, status, json?.error.code]).toEqual([path, 401, "not_logged_in"]);
    }
    for (const [method, path, body] of CHANGES) {
      expect([path, (await send(`${url}/api/v1/${path}`, method, body)).status]).toEqual([path, 401]);
    }
    expect(await gateway.storage.audit.list()).toEqual(before);
  });

  test.each(["", "x", TOKEN.slice(0, -1), `${TOKEN}x`, TOKEN.toUpperCase()])(
    "admin-is-for-admins: the token %j is refused",
    async (token) => {
      const { url } = await startAdmin();
      const { status } = await send(`${url}/api/v1/servers`, "GET", undefined, { authorization: `Bearer ${token}` });
      expect(status).toBe(401);
    },
  );

  test("admin-is-for-admins: the login cookie is for this page alone, and ends with the logout", async () => {
    const { url } = await startAdmin();
    const login = await send(`${url}/api/v1/session`, "POST", { token: TOKEN }, { origin: url });
    const header = login.headers.get("set-cookie") ?? "";
    expect(header).toMatch(/^toolwire_admin_\d+=[\w-]{43}; Path=\/api\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    const cookie = header.split(";", 1)[0] ?? "";
    expect(header).not.toContain(TOKEN);
    expect((await send(`${url}/api/v1/session`, "GET", undefined, { cookie })).json.isLoggedIn).toBe(true);
    expect((await send(`${url}/api/v1/servers`, "GET", undefined, { cookie })).status).toBe(200);
    const logout = await send(`${url}/api/v1/session`, "DELETE", undefined, { cookie, origin: url });
    expect(logout.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await send(`${url}/api/v1/servers`, "GET", undefined, { cookie })).status).toBe(401);
    expect((await send(`${url}/api/v1/session`, "GET", undefined, { cookie })).json.isLoggedIn).toBe(false);
  });

  test("admin-is-for-admins: a cookie that came over TLS is never sent without it", async () => {
    const { url } = await startAdmin();
    const origin = url.replace("http:", "https:");
    const login = await send(`${url}/api/v1/session`, "POST", { token: TOKEN }, { origin });
    expect(login.headers.get("set-cookie")).toMatch(/; Secure$/);
  });

  test("admin-is-for-admins: a login ends after twelve hours, and after two that nobody used it", async () => {
    const { url, clock } = await startAdmin();
    const busy = await logIn(url);
    const idle = await logIn(url);
    const read = async (cookie: string): Promise<number> =>
      (await send(`${url}/api/v1/servers`, "GET", undefined, { cookie })).status;
    for (let hour = 1; hour < 12; hour += 1) {
      clock.now += 3_600_000;
      expect(await read(busy)).toBe(200);
    }
    expect(await read(idle)).toBe(401);
    clock.now += 3_600_000;
    expect(await read(busy)).toBe(401);
  });

  test("admin-is-for-admins: ten wrong tokens, and further ones are not looked at for a minute", async () => {
    const { url, clock } = await startAdmin();
    const attempt = async (token: string): Promise<number> =>
      (await send(`${url}/api/v1/session`, "POST", { token }, { origin: url })).status;
    for (let count = 0; count < 10; count += 1) expect(await attempt("wrong")).toBe(401);
    expect(await attempt(TOKEN)).toBe(429);
    const bearer = await send(`${url}/api/v1/servers`, "GET", undefined, { authorization: `Bearer ${TOKEN}` });
    expect(bearer.status).toBe(429);
    expect(bearer.headers.get("retry-after")).toBe("60");
    clock.now += 60_000;
    expect(await attempt(TOKEN)).toBe(204);
  });

  test("admin-is-for-admins: a page of another origin reads and changes nothing, though the browser sends the cookie", async () => {
    const { url, gateway } = await startAdmin();
    const cookie = await logIn(url);
    const before = await gateway.storage.audit.list();
    const foreign: readonly { [name: string]: string }[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "http://127.0.0.1:9" },
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" },
      { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" },
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
    ];
    for (const headers of foreign) {
      for (const [method, path, body] of [["GET", "servers"] as const, ...CHANGES]) {
        const { status, text } = await send(`${url}/api/v1/${path}`, method, body, { cookie, ...headers });
        expect([headers, path, status]).toEqual([headers, path, 403]);
        expect(text).not.toContain("weather");
      }
    }
    expect(await gateway.storage.audit.list()).toEqual(before);
  });

  test("admin-is-for-admins: a change by cookie that does not say which page sent it is refused", async () => {
    const { url } = await startAdmin();
    const cookie = await logIn(url);
    for (const [method, path, body] of CHANGES) {
      expect((await send(`${url}/api/v1/${path}`, method, body, { cookie })).status).toBe(403);
    }
    expect((await send(`${url}/api/v1/keys`, "POST", { name: "x" }, { cookie, origin: url })).status).toBe(201);
  });

  test("admin-is-for-admins: a form of another page cannot log anybody in", async () => {
    const { url } = await startAdmin();
    const response = await fetch(`${url}/api/v1/session`, {
      method: "POST",
      body: `{"token":"${TOKEN}"}`,
      headers: { "content-type": "text/plain" },
    });
    expect(response.status).toBe(415);
    expect(response.headers.get("set-cookie")).toBeNull();
  });

  test("admin-is-for-admins: a name that was pointed at this machine (DNS rebinding) gets nothing, not even the page", async () => {
    const { url } = await startAdmin();
    const { port } = new URL(url);
    for (const host of [
      `evil.example:${port}`,
      "evil.example",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "",
      "a b",
    ]) {
      for (const path of ["/", "/api/v1/servers", "/api/v1/session"]) {
        const { status, text } = await sendWithHost(url, path, host);
        expect([host, path, status === 421 || status === 400]).toEqual([host, path, true]);
        expect(text).not.toContain("weather");
      }
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, "[::1]:80", "gateway.localhost", "10.1.2.3"]) {
      expect([host, (await sendWithHost(url, "/api/v1/servers", host)).status]).toEqual([host, 200]);
    }
  });

  test("admin-is-for-admins: no GET changes anything", async () => {
    const { send: sendAsAdmin, gateway } = await startAdmin();
    const before = await gateway.storage.audit.list();
    for (const [, path] of CHANGES) await sendAsAdmin("GET", path);
    expect(await gateway.storage.audit.list()).toEqual(before);
    expect(gateway.server("crm")?.config.title).toBe("Customer records");
  });

  test("admin-is-for-admins: every response forbids frames, foreign scripts and guessed types", async () => {
    const { url } = await startAdmin();
    for (const path of ["/", "/calls", "/api/v1/session", "/api/v1/servers", "/assets/nothing.js"]) {
      const { headers } = await send(`${url}${path}`, "GET");
      expect(headers.get("content-security-policy")).toContain("default-src 'self'");
      expect(headers.get("content-security-policy")).not.toContain("unsafe");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });
});

describe("secrets-appear-nowhere", () => {
  test("secrets-appear-nowhere: no read of the admin API returns the value of a secret", async () => {
    const { send: sendAsAdmin, gateway } = await startAdmin();
    await sendAsAdmin("PUT", "secrets/another", { value: "canary-set-through-api-77" });
    const call = gateway.calls.find(({ capture }) => capture !== undefined);
    const canaries = [LITERAL_SECRET, STORED_SECRET, TOKEN, "canary-set-through-api-77"];
    for (const path of [...READS, `calls/${call?.id ?? ""}`]) {
      const { status, text } = await sendAsAdmin("GET", path);
      expect([path, status]).toEqual([path, 200]);
      for (const canary of canaries) {
        for (const form of [canary, Buffer.from(canary).toString("base64").slice(2, -4), encodeURIComponent(canary)]) {
          expect([path, text.includes(form)]).toEqual([path, false]);
        }
      }
    }
  });

  test("secrets-appear-nowhere: a secret cannot be read by any method", async () => {
    const { send: sendAsAdmin } = await startAdmin();
    expect((await sendAsAdmin("GET", "secrets/payments")).status).toBe(405);
    expect((await sendAsAdmin("POST", "secrets/payments", {})).status).toBe(405);
    expect((await sendAsAdmin("GET", "principals/key_mobile_app/credentials/payments-connect")).status).toBe(405);
  });

  test("secrets-appear-nowhere: results of a tried tool and errors are redacted", async () => {
    const { send: sendAsAdmin, gateway } = await startAdmin();
    const tried = await sendAsAdmin("POST", "servers/weather/tools/get_weather/try", {
      arguments: { city: STORED_SECRET },
    });
    expect(tried.text).not.toContain(STORED_SECRET);
    const refused = await sendAsAdmin("PUT", "servers/x", { [STORED_SECRET]: 1 });
    expect(refused.status).toBe(422);
    expect(refused.text).not.toContain(STORED_SECRET);
    expect(gateway.server("x")).toBeUndefined();
  });
});
