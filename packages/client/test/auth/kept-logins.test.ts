import { type Client, connect } from "@toolwire/client";
import { clientCredentials, memoryStore, oauth, type TokenAuth } from "@toolwire/client/auth";
import { afterEach, describe, expect, test, vi } from "vitest";
import { instantLogin, type Site, type SiteParts, type SiteResponse, openSite } from "./lab/scripted-site.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function open(url: string, auth: TokenAuth): Promise<Client> {
  const client = await connect(url, { auth, revision: "2026-07-28" });
  cleanups.push(() => client.close());
  return client;
}

const refreshes = (of: Site) => of.at("/token").filter(({ form }) => form.get("grant_type") === "refresh_token");

test("a logout while a token is renewed waits for the new tokens, and forgets and revokes those", async () => {
  const good = new Set(["token-1"]);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = await openSite({
    accepts: (token) => good.has(token),
    issuer: ({ origin }) => ({ revocation_endpoint: `${origin}/revoke` }),
    first: ({ path }) => (path === "/revoke" ? { status: 200 } : undefined),
    token: async ({ form }) => {
      if (form.get("grant_type") === "refresh_token") await held;
      return undefined as unknown as SiteResponse;
    },
  });
  const store = memoryStore();
  const auth = oauth({ store, login: instantLogin() });
  const client = await open(`${server.origin}/mcp`, auth);
  good.add("token-2").delete("token-1");
  const stop = new AbortController();
  const call = client.listTools({ fresh: true, signal: stop.signal });
  await expect.poll(() => refreshes(server).length).toBe(1);
  stop.abort(new Error("never mind"));
  await expect(call).rejects.toThrow("never mind");
  const logout = auth.logout();
  release();
  await logout;
  expect(auth.status().state).toBe("none");
  expect(server.at("/revoke").map(({ form }) => form.get("token"))).toEqual(["refresh-2"]);
  const later = oauth({ store });
  await expect(open(`${server.origin}/mcp`, later)).rejects.toMatchObject({ code: "LOGIN_REQUIRED" });
});

test("a program that cannot log in is told so each time, because its user may have logged in elsewhere meanwhile", async () => {
  const server = await openSite();
  const store = memoryStore();
  const auth = oauth({ store });
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await expect(open(`${server.origin}/mcp`, auth)).rejects.toMatchObject({ code: "LOGIN_REQUIRED" });
  }
  await oauth({ store, login: instantLogin() }).login(`${server.origin}/mcp`);
  const client = await open(`${server.origin}/mcp`, auth);
  expect((await client.listTools()).tools).toEqual([]);
});

test("a token that another program has renewed meanwhile is used, and one that has ended is renewed again", async () => {
  const server = await openSite();
  const store = memoryStore();
  const make = (): TokenAuth => oauth({ store, login: instantLogin() });
  const used = (): string | undefined => server.at("/mcp").at(-1)?.headers.authorization;
  const [one, other] = [
    await open(`${server.origin}/mcp`, make()),
    await open(`${server.origin}/mcp`, make()),
  ] as const;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3601_000 });
  await one.listTools({ fresh: true });
  expect(used()).toBe("Bearer token-2");
  await other.listTools({ fresh: true });
  expect(used()).toBe("Bearer token-2");
  expect(refreshes(server)).toHaveLength(1);
  // The second program does not know the token that the first one got before it ended.
  vi.setSystemTime(Date.now() + 3601_000);
  await one.listTools({ fresh: true });
  vi.setSystemTime(Date.now() + 3601_000);
  await other.listTools({ fresh: true });
  expect(used()).toBe("Bearer token-4");
  expect(refreshes(server).map(({ form }) => form.get("refresh_token"))).toEqual([
    "refresh-1",
    "refresh-2",
    "refresh-3",
  ]);
});

describe("the authorization server of credentials is configured anew", () => {
  const moved = async () => {
    const servers = { current: "" };
    const parts: SiteParts = {
      issuer: ({ origin }) => ({
        revocation_endpoint: `${origin}/revoke`,
        token_endpoint_auth_methods_supported: ["client_secret_post"],
      }),
      first: ({ path }) => (path === "/revoke" ? { status: 200 } : undefined),
    };
    const [before, after] = [await openSite(parts), await openSite(parts)];
    const server = await openSite({ resource: () => ({ authorization_servers: [servers.current] }) });
    servers.current = before.origin;
    return { before, after, server, servers };
  };

  test("its new secret is not sent to the old one, not even to revoke old tokens", async () => {
    const { before, after, server } = await moved();
    const store = memoryStore();
    await open(
      `${server.origin}/mcp`,
      clientCredentials({ id: "app", secret: "old secret", issuer: before.origin, store }),
    );
    const auth = clientCredentials({ id: "app", secret: "new secret", issuer: after.origin, store });
    await auth.logout(`${server.origin}/mcp`);
    expect(before.requests.filter(({ text }) => text.includes("new+secret"))).toEqual([]);
  });

  for (const kind of ["machine", "user"] as const) {
    test(`a ${kind} gets tokens of the new one when the kept token has ended`, async () => {
      const { before, after, server, servers } = await moved();
      const store = memoryStore();
      const make = (secret: string, issuer: string): TokenAuth =>
        kind === "machine"
          ? clientCredentials({ id: "app", secret, issuer, store })
          : oauth({ client: { id: "app", secret, issuer }, login: instantLogin(), store });
      await open(`${server.origin}/mcp`, make("old secret", before.origin));
      servers.current = after.origin;
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3601_000 });
      const auth = make("new secret", after.origin);
      const client = await open(`${server.origin}/mcp`, auth);
      await client.listTools({ fresh: true });
      expect(auth.status().issuer).toBe(after.origin);
      expect(before.at("/token")).toHaveLength(1);
    });
  }
});
