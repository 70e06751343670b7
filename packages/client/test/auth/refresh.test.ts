import { type Client, connect, type ConnectOptions } from "@toolwire/client";
import { type AuthStore, memoryStore, oauth, type OAuthOptions, type TokenAuth } from "@toolwire/client/auth";
import { afterEach, describe, expect, test, vi } from "vitest";
import { startProvider } from "./lab/identity-provider.ts";
import { startProtectedServer } from "./lab/protected-server.ts";
import { instantLogin, type Site, type SiteParts, type SiteResponse, openSite } from "./lab/scripted-site.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function open(url: string, auth: TokenAuth, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(url, { auth, revision: "2026-07-28", ...options });
  cleanups.push(() => client.close());
  return client;
}

const refreshes = (of: Site) => of.at("/token").filter(({ form }) => form.get("grant_type") === "refresh_token");

/** A store whose grant a test can change, as another process would. */
function openStore() {
  const store = memoryStore();
  const keys = new Set<string>();
  const spied: AuthStore = {
    ...store,
    swap: (key, expected, next) => {
      keys.add(key);
      return store.swap(key, expected, next);
    },
  };
  const grantKey = () => [...keys].find((key) => key.startsWith("grant "))!;
  const change = async (more: object) => {
    const stored = (await store.get(grantKey()))!;
    await store.swap(grantKey(), stored.version, { ...(stored.value as object), ...more });
  };
  const grant = async () => (await store.get(grantKey()))?.value as Record<string, unknown> | undefined;
  return { store: spied, change, grant };
}

describe("one refresh at a time", () => {
  test("threat 19: 200 calls with a token that ends make one token request", async () => {
    const idp = await startProvider({ lifetime: 300 });
    cleanups.push(() => idp.close());
    const rs = await startProtectedServer({ providers: [idp] });
    cleanups.push(() => rs.close());
    const auth = oauth({ login: { redirectUri: "http://127.0.0.1:1/cb", authorize: (url) => idp.logIn(url) } });
    const client = await open(rs.url, auth);
    await client.callTool("whoami");
    // Only the date is moved, for all sides alike: 200 calls may take longer than a token that is really short.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 301_000 });
    expect(auth.status().state).toBe("expired");
    const before = idp.tokenRequests().length;
    const results = await Promise.all(Array.from({ length: 200 }, () => client.callTool("whoami")));
    expect(results.filter(({ isError }) => isError === true)).toHaveLength(0);
    expect(idp.tokenRequests().length - before).toBe(1);
  });

  test("threat 19: 200 calls whose token the server refuses all at once make one refresh", async () => {
    const good = new Set(["token-1"]);
    const server = await openSite({ accepts: (token) => good.has(token) });
    const client = await open(`${server.origin}/mcp`, oauth({ login: instantLogin() }));
    good.clear();
    good.add("token-2");
    await Promise.all(Array.from({ length: 200 }, () => client.listTools({ fresh: true })));
    expect(refreshes(server)).toHaveLength(1);
  });

  test("two providers on one store and one grant refresh it once", async () => {
    const good = new Set(["token-1"]);
    const server = await openSite({ accepts: (token) => good.has(token) });
    const store = memoryStore();
    const clients = [];
    for (let index = 0; index < 3; index += 1) {
      clients.push(await open(`${server.origin}/mcp`, oauth({ store, login: instantLogin() })));
    }
    expect(server.at("/token")).toHaveLength(1);
    good.clear();
    good.add("token-2");
    await Promise.all(clients.map((client) => client.listTools({ fresh: true })));
    expect(refreshes(server)).toHaveLength(1);
  });

  test("a refresh that nobody waits for any more is finished all the same: its refresh token is the only one that works", async () => {
    const good = new Set(["token-1"]);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = await openSite({
      accepts: (token) => good.has(token),
      token: async ({ form }) => {
        if (form.get("grant_type") === "refresh_token") await held;
        return undefined as unknown as SiteResponse;
      },
    });
    const { store, grant } = openStore();
    const client = await open(`${server.origin}/mcp`, oauth({ store, login: instantLogin() }));
    good.clear();
    good.add("token-2");
    const stop = new AbortController();
    const call = client.listTools({ fresh: true, signal: stop.signal });
    await expect.poll(() => refreshes(server).length).toBe(1);
    stop.abort(new Error("never mind"));
    await expect(call).rejects.toThrow("never mind");
    release();
    await expect.poll(async () => (await grant())?.["refreshToken"]).toBe("refresh-2");
    await client.listTools({ fresh: true });
    expect(refreshes(server)).toHaveLength(1);
  });
});

describe("what a refresh may lose", () => {
  test("threat 21: invalid_grant of an old token deletes nothing", async () => {
    const good = new Set(["token-1"]);
    const { store, change, grant } = openStore();
    const server = await openSite({
      accepts: (token) => good.has(token),
      token: async ({ form }) => {
        if (form.get("grant_type") !== "refresh_token") return undefined as unknown as SiteResponse;
        // Another process, which ignores the lock, is faster.
        await change({ accessToken: "token-of-other", refreshToken: "refresh-of-other", issuedAt: Date.now() });
        return { status: 400, json: { error: "invalid_grant" } };
      },
    });
    const login = instantLogin();
    const client = await open(`${server.origin}/mcp`, oauth({ store, login }));
    good.clear();
    good.add("token-of-other");
    await client.listTools({ fresh: true });
    expect(login.urls).toHaveLength(1);
    expect(await grant()).toMatchObject({ refreshToken: "refresh-of-other" });
  });

  test("invalid_grant of the token that is in the store drops it, and the user logs in once", async () => {
    const good = new Set(["token-1"]);
    const server = await openSite({
      accepts: (token) => good.has(token),
      token: ({ form }) =>
        form.get("grant_type") === "refresh_token" ? { status: 400, json: { error: "invalid_grant" } } : undefined,
    });
    const login = instantLogin();
    const client = await open(`${server.origin}/mcp`, oauth({ login }));
    good.clear();
    good.add("token-3");
    await client.listTools({ fresh: true });
    expect(login.urls).toHaveLength(2);
    expect(server.at("/register")).toHaveLength(1);
  });

  test("invalid_client drops a dynamic registration, and registers anew", async () => {
    const good = new Set(["token-1"]);
    const server = await openSite({
      accepts: (token) => good.has(token),
      token: ({ form }) =>
        form.get("client_id") === "client-1" && good.has("token-3")
          ? { status: 401, json: { error: "invalid_client" } }
          : undefined,
    });
    const login = instantLogin();
    const client = await open(`${server.origin}/mcp`, oauth({ login }));
    good.clear();
    good.add("token-3");
    await client.listTools({ fresh: true });
    expect(server.at("/register")).toHaveLength(2);
    expect(login.urls.map((url) => url.searchParams.get("client_id"))).toEqual(["client-1", "client-2"]);
  });

  test("threat 22: invalid_client keeps the grant of a configured client, as a login cannot mend its secret", async () => {
    const good = new Set(["token-1"]);
    let isKnown = true;
    const { store, grant } = openStore();
    const server = await openSite({
      accepts: (token) => good.has(token),
      issuer: () => ({ token_endpoint_auth_methods_supported: ["client_secret_basic"] }),
      token: () => (isKnown ? undefined : { status: 401, json: { error: "invalid_client" } }),
    });
    const login = instantLogin();
    const auth = oauth({ client: { id: "me", secret: "s3cret", issuer: server.origin }, login, store });
    const client = await open(`${server.origin}/mcp`, auth);
    isKnown = false;
    good.clear();
    await expect(client.listTools({ fresh: true })).rejects.toMatchObject({ code: "LOGIN_FAILED" });
    expect(await grant()).toMatchObject({ refreshToken: "refresh-1" });
    // The authorization server knows the secret again.
    isKnown = true;
    good.add("token-3");
    await client.listTools({ fresh: true });
    expect(login.urls).toHaveLength(1);
  });

  test("a client that the authorization server does not know when it redeems a code registers anew at the next login", async () => {
    const server = await openSite({
      token: ({ form }) =>
        form.get("client_id") === "client-1" ? { status: 401, json: { error: "invalid_client" } } : undefined,
    });
    const auth = oauth({ login: instantLogin() });
    await expect(connect(`${server.origin}/mcp`, { auth, revision: "2026-07-28" })).rejects.toMatchObject({
      code: "LOGIN_FAILED",
    });
    await open(`${server.origin}/mcp`, auth);
    expect(server.at("/register")).toHaveLength(2);
  });

  test("a response without a refresh token keeps the old one", async () => {
    const good = new Set(["token-1"]);
    const { store, grant } = openStore();
    const server = await openSite({
      accepts: (token) => good.has(token),
      token: ({ form }) =>
        form.get("grant_type") === "refresh_token"
          ? { json: { access_token: "token-2", token_type: "Bearer" } }
          : undefined,
    });
    const client = await open(`${server.origin}/mcp`, oauth({ store, login: instantLogin() }));
    good.add("token-2");
    good.delete("token-1");
    await client.listTools({ fresh: true });
    expect(await grant()).toMatchObject({ accessToken: "token-2", refreshToken: "refresh-1" });
  });

  test("threat 22: 500, 429, a reset and HTML keep the grant", async () => {
    const idp = await startProvider({ lifetime: 2 });
    cleanups.push(() => idp.close());
    const rs = await startProtectedServer({ providers: [idp] });
    cleanups.push(() => rs.close());
    let logins = 0;
    const authorize = (url: URL): Promise<string> => {
      logins += 1;
      return idp.logIn(url);
    };
    const { store, grant } = openStore();
    const auth = oauth({ store, login: { redirectUri: "http://127.0.0.1:1/cb", authorize } });
    const client = await open(rs.url, auth);
    await client.callTool("whoami");
    for (const outage of [500, 429, "reset", "html"] as const) {
      await expect.poll(() => auth.status().state, { interval: 20 }).toBe("expired");
      const before = await grant();
      idp.outage = ({ path }) => (path === "/token" ? outage : undefined);
      await expect(client.callTool("whoami")).rejects.toMatchObject({ name: "AuthError", code: "TEMPORARY" });
      // The store counts how often a renewal was begun.
      expect({ ...(await grant()), renewal: before?.["renewal"] }).toEqual({ renewal: undefined, ...before });
      idp.outage = undefined;
      expect(await client.callTool("whoami")).not.toMatchObject({ isError: true });
    }
    expect(logins).toBe(1);
  });

  test("a store that cannot save fails the call, and the new tokens are used all the same", async () => {
    const good = new Set(["token-1"]);
    const server = await openSite({ accepts: (token) => good.has(token) });
    const memory = memoryStore();
    let isFull = false;
    const store: AuthStore = {
      ...memory,
      swap: (...args) => (isFull ? Promise.reject(new Error("disk full")) : memory.swap(...args)),
    };
    const client = await open(`${server.origin}/mcp`, oauth({ store, login: instantLogin() }));
    good.clear();
    good.add("token-2");
    isFull = true;
    await expect(client.listTools({ fresh: true })).rejects.toMatchObject({
      code: "TEMPORARY",
      message: expect.stringContaining("disk full") as string,
    });
    await client.listTools({ fresh: true });
    expect(refreshes(server)).toHaveLength(1);
  });
});

describe("storms", () => {
  test.each(["2026-07-28", "2025-11-25"] as const)(
    "threat 23: 401 for ever makes few token requests, however often it is tried (%s)",
    async (revision) => {
      const login = instantLogin();
      const server = await openSite({ accepts: () => false });
      const auth = oauth({ login });
      for (let index = 0; index < 200; index += 1) {
        await expect(connect(`${server.origin}/mcp`, { auth, revision })).rejects.toMatchObject({ name: "AuthError" });
      }
      expect(login.urls.length).toBeLessThanOrEqual(3);
      expect(server.at("/token").length).toBeLessThanOrEqual(6);
    },
  );

  test("threat 23: a stream that is refused for ever, while calls are accepted, makes few token requests", async () => {
    const login = instantLogin();
    const server = await openSite({
      first: ({ path, method, text, headers }) => {
        if (path !== "/mcp" || headers.authorization === undefined) return undefined;
        if (method === "GET") return { status: 401, headers: { "www-authenticate": 'Bearer error="invalid_token"' } };
        if (method !== "POST") return { status: 200 };
        const { id, method: name } = JSON.parse(text) as { id?: number; method: string };
        if (id === undefined) return { status: 202 };
        const result =
          name === "initialize"
            ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }
            : { tools: [] };
        return { headers: { "mcp-session-id": "one" }, json: { jsonrpc: "2.0", id, result } };
      },
    });
    const streams = () => server.at("/mcp").filter(({ method }) => method === "GET");
    const client = await open(`${server.origin}/mcp`, oauth({ login }), {
      revision: "2025-11-25",
      onDiagnostic: () => {},
    });
    await expect.poll(() => streams().length).toBeGreaterThan(1);
    for (let index = 0; index < 100; index += 1) await client.listTools({ fresh: true });
    expect(streams().length).toBeLessThanOrEqual(10);
    expect(server.at("/token").length).toBeLessThanOrEqual(6);
    expect(login.urls.length).toBeLessThanOrEqual(3);
  });

  test("threat 23: logins that fail one after the other make the next one wait", async () => {
    const server = await openSite();
    let count = 0;
    const authorize = async (): Promise<never> => {
      count += 1;
      throw new Error("no browser");
    };
    const auth = oauth({ login: { redirectUri: "http://127.0.0.1:1/cb", authorize } });
    for (let index = 0; index < 20; index += 1) {
      await expect(connect(`${server.origin}/mcp`, { auth, revision: "2026-07-28" })).rejects.toMatchObject({
        name: "AuthError",
      });
    }
    expect(count).toBeLessThanOrEqual(6);
  });
});

describe("step-up: per-operation scopes converge; never-granted scope stops", () => {
  const challenged = (scopes: (token: string) => string | undefined): SiteParts => ({
    first: ({ path, headers, text }) => {
      const token = headers.authorization?.split(" ")[1];
      const needed = path === "/mcp" && token !== undefined && text.includes("tools/list") ? scopes(token) : undefined;
      if (needed === undefined) return undefined;
      return { status: 403, headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${needed}"` } };
    },
  });

  const run = async (parts: SiteParts, options: OAuthOptions = {}) => {
    const server = await openSite(parts);
    const login = instantLogin();
    const client = await open(`${server.origin}/mcp`, oauth({ login, scopes: ["base"], ...options }));
    return { server, client, scopes: () => login.urls.map((url) => url.searchParams.get("scope")) };
  };

  test("threat 24: a scope that is never enough stops after one more login, and later calls ask nobody", async () => {
    const { client, scopes } = await run(challenged(() => "more"));
    const failure = await client.listTools().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "INSUFFICIENT_SCOPE", scopes: ["more"] });
    await expect(client.listTools()).rejects.toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    expect(scopes()).toEqual(["base", "base more"]);
  });

  test("threat 24: a server that wants another scope each time gets two more logins of a call", async () => {
    let count = 0;
    const { client, scopes } = await run(challenged(() => `more-${++count}`));
    await expect(client.listTools()).rejects.toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    expect(scopes()).toEqual(["base", "base more-1", "base more-1 more-2"]);
  });

  test("threat 24: calls that need different scopes at the same time get the union", async () => {
    const { client, scopes } = await run({
      ...challenged((token) => (token === "token-1" ? "a b" : undefined)),
    });
    await Promise.all([client.listTools(), client.listTools({ fresh: true }), client.listTools({ fresh: true })]);
    expect(scopes()).toEqual(["base", "base a b"]);
  });

  test("a step-up that the user refuses is not asked for again", async () => {
    const server = await openSite(challenged(() => "more"));
    const login = instantLogin();
    let isRefused = false;
    const auth = oauth({
      scopes: ["base"],
      login: {
        redirectUri: login.redirectUri,
        async authorize(url) {
          const response = await login.authorize(url);
          return isRefused ? new URLSearchParams({ error: "access_denied", state: response.get("state")! }) : response;
        },
      },
    });
    const client = await open(`${server.origin}/mcp`, auth);
    isRefused = true;
    await expect(client.listTools()).rejects.toMatchObject({ code: "LOGIN_CANCELLED" });
    await expect(client.listTools()).rejects.toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    expect(login.urls).toHaveLength(2);
  });

  test("a 403 for another reason asks nobody", async () => {
    const { client, scopes } = await run({
      first: ({ text, headers }) =>
        text.includes("tools/list") && headers.authorization ? { status: 403 } : undefined,
    });
    await expect(client.listTools()).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(scopes()).toHaveLength(1);
  });
});
