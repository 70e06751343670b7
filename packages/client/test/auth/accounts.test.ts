import { type Client, connect, type ConnectOptions, textOf } from "@toolwire/client";
import { type AuthChange, memoryStore, oauth } from "@toolwire/client/auth";
import { afterEach, expect, test } from "vitest";
import { startProvider } from "./lab/identity-provider.ts";
import { startProtectedServer } from "./lab/protected-server.ts";
import { instantLogin, protectedSite, startSite } from "./lab/scripted-site.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function lab() {
  const idp = await startProvider();
  cleanups.push(() => idp.close());
  const rs = await startProtectedServer({ providers: [idp] });
  cleanups.push(() => rs.close());
  return { idp, rs };
}

async function open(url: string, options: ConnectOptions): Promise<Client> {
  const client = await connect(url, options);
  cleanups.push(() => client.close());
  return client;
}

const redirectUri = "http://127.0.0.1:33418/callback";

test("threat 26: two connections of two users are never crossed", async () => {
  const { idp, rs } = await lab();
  const store = memoryStore();
  const clients = await Promise.all(
    ["alice", "bob"].map((account) =>
      open(rs.url, {
        auth: oauth({ store, account, login: { redirectUri, authorize: (url) => idp.logIn(url, account) } }),
      }),
    ),
  );
  for (let round = 0; round < 10; round += 1) {
    const names = await Promise.all(clients.map(async (client) => textOf(await client.callTool("whoami"))));
    expect(names).toEqual(["alice", "bob"]);
  }
});

test("threat 27: a login as another user empties the private cache", async () => {
  const { idp, rs } = await lab();
  let user = "alice";
  const auth = oauth({ login: { redirectUri, authorize: (url) => idp.logIn(url, user) } });
  const client = await open(rs.url, { auth });
  const read = async () => textOf(await client.readResource("test://mine"));
  expect(await read()).toBe("of alice");
  const asked = rs.seen.filter(({ rpc }) => rpc === "resources/read").length;
  expect(await read()).toBe("of alice");
  expect(rs.seen.filter(({ rpc }) => rpc === "resources/read")).toHaveLength(asked);
  user = "bob";
  await auth.login();
  expect(await read()).toBe("of bob");
});

test("the state of a login is told: none, renewing, authorized, none again", async () => {
  const { idp, rs } = await lab();
  const auth = oauth({ login: { redirectUri, authorize: (url) => idp.logIn(url) } });
  const changes: AuthChange[] = [];
  const end = auth.onChange((change) => changes.push(change));
  auth.onChange(() => {
    throw new Error("A listener of the application fails.");
  });
  expect(auth.status(rs.url)).toEqual({ state: "none" });
  await auth.login(rs.url);
  expect(auth.status()).toMatchObject({ state: "authorized", issuer: idp.issuer, canRefresh: true, resource: rs.url });
  const states = changes.map(({ state }) => state);
  expect(states).toContain("renewing");
  expect(changes.at(-1)?.server.href).toBe(rs.url);
  expect(JSON.stringify(changes)).not.toMatch(/eyJ/);
  const client = await open(rs.url, { auth });
  expect(textOf(await client.callTool("whoami"))).toBe("alice");
  await auth.logout();
  expect(auth.status()).toEqual({ state: "none" });
  expect(idp.requests.filter(({ path }) => path === "/token/revocation")).toHaveLength(1);
  end();
  const count = changes.length;
  expect(textOf(await client.callTool("whoami"))).toBe("alice");
  expect(changes).toHaveLength(count);
});

test("after logout the registration is kept, after forget it is made anew", async () => {
  const site = await startSite(protectedSite());
  cleanups.push(() => site.close());
  const auth = oauth({ login: instantLogin() });
  const url = `${site.origin}/mcp`;
  const once = async () => (await connect(url, { auth, revision: "2026-07-28" })).close();
  await once();
  await auth.logout();
  await once();
  expect(site.at("/register")).toHaveLength(1);
  await auth.forget();
  await once();
  expect(site.at("/register")).toHaveLength(2);
});

test("an object that has served several servers wants to know which one is meant", async () => {
  const auth = oauth();
  expect(() => auth.status()).toThrow(/no server yet/);
  auth.status("https://a.example/mcp");
  expect(auth.status()).toEqual({ state: "none" });
  auth.status("wss://b.example/mcp");
  expect(() => auth.status()).toThrow(/2 servers/);
});

test("one object serves many servers, each with its own grant", async () => {
  const { idp, rs } = await lab();
  const other = await startProtectedServer({ providers: [idp] });
  cleanups.push(() => other.close());
  const auth = oauth({ login: { redirectUri, authorize: (url) => idp.logIn(url) } });
  await Promise.all([open(rs.url, { auth }), open(other.url, { auth })]);
  expect([auth.status(rs.url).resource, auth.status(other.url).resource]).toEqual([rs.url, other.url]);
  const tokens = (of: typeof rs) => new Set(of.seen.flatMap(({ authorization }) => authorization ?? []));
  for (const token of tokens(rs)) expect(tokens(other).has(token)).toBe(false);
});
