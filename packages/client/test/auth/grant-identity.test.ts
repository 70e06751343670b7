import { type Client, connect } from "@toolwire/client";
import {
  type AuthStore,
  clientCredentials,
  enterprise,
  memoryStore,
  oauth,
  type OAuthOptions,
  type TokenAuth,
  workload,
} from "@toolwire/client/auth";
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, type JWK } from "jose";
import { afterEach, describe, expect, test, vi } from "vitest";
import { instantLogin, openSite, protectedSite, type Site, type SiteParts, startSite } from "./lab/scripted-site.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";

/** A server whose tokens say how, and for whom, they were got. */
async function site(parts: SiteParts = {}): Promise<Site> {
  let count = 0;
  const started = await startSite(
    protectedSite({
      issuer: () => ({ token_endpoint_auth_methods_supported: ["client_secret_post", "none"] }),
      token({ form, headers }) {
        count += 1;
        if (form.get("requested_token_type") === ID_JAG) {
          const subject = `jag-of-${form.get("subject_token")}`;
          return { json: { access_token: subject, token_type: "N_A", issued_token_type: ID_JAG } };
        }
        const kind = form.get("grant_type")!.split(":").at(-1)!;
        const whose = form.get("assertion") ?? form.get("code") ?? form.get("refresh_token") ?? "machine";
        const token_type = headers["dpop"] === undefined ? "Bearer" : "DPoP";
        const refresh = kind === "authorization_code" || kind === "refresh_token";
        return {
          json: {
            access_token: `${kind}.${whose}.${count}`,
            token_type,
            expires_in: 3600,
            ...(refresh && { refresh_token: `refresh.${count}` }),
          },
        };
      },
      ...parts,
    }),
  );
  cleanups.push(() => started.close());
  return started;
}

async function open(url: string, auth: TokenAuth): Promise<Client> {
  const client = await connect(url, { auth, revision: "2026-07-28" });
  cleanups.push(() => client.close());
  return client;
}

/** The token that a provider uses for a call. */
async function tokenOf(server: Site, auth: TokenAuth, path = "/mcp"): Promise<string> {
  const client = await open(`${server.origin}${path}`, auth);
  await client.listTools({ fresh: true });
  return server
    .at(path)
    .at(-1)!
    .headers.authorization!.split(" ")[1]!
    .replace(/\.\d+$/, "");
}

const secret = { id: "app", secret: "a secret" };

/** Every way to get a token, all with the id of the same client. */
const ways: Readonly<Record<string, (issuer: string, store: AuthStore) => TokenAuth>> = {
  "a user": (issuer, store) => oauth({ client: { ...secret, issuer }, login: instantLogin({ code: "user" }), store }),
  "another user": (issuer, store) =>
    oauth({ client: { ...secret, issuer }, login: instantLogin({ code: "other" }), store, account: "other" }),
  "a user of another client": (issuer, store) =>
    oauth({ client: { ...secret, id: "doc", issuer }, login: instantLogin({ code: "doc" }), store, account: "doc" }),
  "a machine": (issuer, store) => clientCredentials({ ...secret, issuer, store }),
  "a machine with an account": (issuer, store) => clientCredentials({ ...secret, issuer, store, account: "other" }),
  "an employee": (issuer, store) =>
    enterprise({ idp: { ...secret, issuer }, client: { ...secret, issuer }, idToken: "anna", store, account: "other" }),
  "a workload": (issuer, store) => workload({ id: "app", issuer, assertion: () => "cluster", store, account: "other" }),
};

const expected: Readonly<Record<string, string>> = {
  "a user": "authorization_code.user",
  "another user": "authorization_code.other",
  "a user of another client": "authorization_code.doc",
  "a machine": "client_credentials.machine",
  "a machine with an account": "client_credentials.machine",
  "an employee": "jwt-bearer.jag-of-anna",
  "a workload": "jwt-bearer.cluster",
};

const pairs = Object.keys(ways).flatMap((one) => Object.keys(ways).map((other) => [one, other] as const));

test.each(pairs.filter(([one, other]) => one !== other))(
  "a grant belongs to one way of getting it: %s and then %s on one store",
  async (one, other) => {
    const server = await site();
    const store = memoryStore();
    for (const name of [one, other, one, other]) {
      expect(await tokenOf(server, ways[name]!(server.origin, store))).toBe(expected[name]);
    }
    // Each was got once and kept.
    expect(server.at("/token").filter(({ form }) => !form.has("requested_token_type"))).toHaveLength(2);
  },
);

test.each(["a machine", "an employee", "a workload"])(
  "an authorization server at which nobody can log in has tokens for %s",
  async (name) => {
    const server = await site({
      issuer: ({ origin }) => ({
        authorization_endpoint: undefined,
        response_types_supported: undefined,
        code_challenge_methods_supported: undefined,
        token_endpoint: `${origin}/token`,
        token_endpoint_auth_methods_supported: ["client_secret_post", "none"],
      }),
    });
    expect(await tokenOf(server, ways[name]!(server.origin, memoryStore()))).toBe(expected[name]);
  },
);

test("with an account, tokens of employees and workloads are kept", async () => {
  const server = await site();
  const store = memoryStore();
  for (const name of ["an employee", "a workload"]) {
    for (let round = 0; round < 2; round += 1) await tokenOf(server, ways[name]!(server.origin, store));
  }
  const requested = server.at("/token").filter(({ form }) => !form.has("requested_token_type"));
  expect(requested).toHaveLength(2);
});

test("users who are known only by a token of another place share no tokens, unless an account says whose they are", async () => {
  const server = await site();
  const store = memoryStore();
  const issuer = server.origin;
  const employee = (idToken: string): TokenAuth =>
    enterprise({ idp: { ...secret, issuer }, client: { ...secret, issuer }, idToken, store });
  const job = (assertion: string): TokenAuth => workload({ issuer, assertion: () => assertion, store });
  expect(await tokenOf(server, employee("anna"))).toBe("jwt-bearer.jag-of-anna");
  expect(await tokenOf(server, employee("ben"))).toBe("jwt-bearer.jag-of-ben");
  expect(await tokenOf(server, job("one"))).toBe("jwt-bearer.one");
  expect(await tokenOf(server, job("two"))).toBe("jwt-bearer.two");
});

test("two applications that register under different names share no grant, even if they get the same id", async () => {
  const server = await site({
    first: ({ path }) => (path === "/register" ? { status: 201, json: { client_id: "same" } } : undefined),
  });
  const store = memoryStore();
  for (const name of ["one", "two", "one"]) {
    const auth = oauth({ client: { name }, login: instantLogin({ code: name }), store });
    expect(await tokenOf(server, auth)).toBe(`authorization_code.${name}`);
  }
  expect(server.at("/register")).toHaveLength(2);
});

test("an id and a name that read the same are two clients", async () => {
  const server = await site({
    first: ({ path }) => (path === "/register" ? { status: 201, json: { client_id: "app" } } : undefined),
  });
  const store = memoryStore();
  const byId = oauth({ client: { id: "app", issuer: server.origin }, login: instantLogin({ code: "id" }), store });
  expect(await tokenOf(server, byId)).toBe("authorization_code.id");
  const byName = oauth({ client: { name: "app" }, login: instantLogin({ code: "name" }), store });
  expect(await tokenOf(server, byName)).toBe("authorization_code.name");
});

test("servers whose tokens name no resource share none", async () => {
  const server = await site({ resource: ({ origin }) => ({ resource: origin }) });
  const store = memoryStore();
  const make = (code: string): TokenAuth =>
    oauth({
      client: { id: "app", issuer: server.origin },
      resource: false,
      login: instantLogin({ code }),
      store,
    });
  const swap = vi.spyOn(store, "swap");
  await make("one").login(`${server.origin}/mcp`);
  await make("two").login(`${server.origin}/other`);
  const keys = swap.mock.calls.map(([key]) => key).filter((key) => key.startsWith("grant "));
  expect(new Set(keys).size).toBe(2);
});

test("servers of one resource share its grant", async () => {
  const server = await site({ resource: ({ origin }) => ({ resource: origin }) });
  const store = memoryStore();
  const swap = vi.spyOn(store, "swap");
  for (const path of ["mcp", "other"]) {
    await oauth({ login: instantLogin(), store }).login(`${server.origin}/${path}`);
  }
  const keys = swap.mock.calls.map(([key]) => key).filter((key) => key.startsWith("grant "));
  expect(new Set(keys).size).toBe(1);
});

describe("keys that tokens are bound to", () => {
  /** The thumbprint of the key of each request that had a proof. */
  const keysAt = async (server: Site, path: string): Promise<string[]> =>
    Promise.all(
      server
        .at(path)
        .flatMap(({ headers }) =>
          headers["dpop"] === undefined
            ? []
            : [calculateJwkThumbprint(decodeProtectedHeader(String(headers["dpop"])).jwk as JWK)],
        ),
    );
  const logIn = (more: OAuthOptions = {}): TokenAuth => oauth({ login: instantLogin(), dpop: "required", ...more });

  test("a login after a logout has a new key", async () => {
    const server = await site();
    const auth = logIn();
    await auth.login(`${server.origin}/mcp`);
    await auth.logout();
    await auth.login(`${server.origin}/mcp`);
    expect(new Set(await keysAt(server, "/token")).size).toBe(2);
  });

  test("every login has a new key: it may be that of another user", async () => {
    const server = await site();
    const auth = logIn();
    for (let round = 0; round < 3; round += 1) await auth.login(`${server.origin}/mcp`);
    expect(new Set(await keysAt(server, "/token")).size).toBe(3);
  });

  test("a renewal keeps the key of its grant, in this process and in the next", async () => {
    const server = await site();
    const store = memoryStore();
    const client = await open(`${server.origin}/mcp`, logIn({ store }));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3601_000 });
    await client.listTools({ fresh: true });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3601_000 });
    await open(`${server.origin}/mcp`, logIn({ store }));
    const [atIssuer, atServer] = [await keysAt(server, "/token"), await keysAt(server, "/mcp")];
    expect(atIssuer).toHaveLength(3);
    expect(new Set([...atIssuer, ...atServer]).size).toBe(1);
  });

  test("a renewal of another login, which another process has made, uses the key of that login", async () => {
    const server = await site();
    const store = memoryStore();
    const client = await open(`${server.origin}/mcp`, logIn({ store }));
    await logIn({ store }).login(`${server.origin}/mcp`);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3601_000 });
    await client.listTools({ fresh: true });
    const [first, second, renewed] = await keysAt(server, "/token");
    expect(first).not.toBe(second);
    expect(renewed).toBe(second);
    expect((await keysAt(server, "/mcp")).at(-1)).toBe(second);
  });

  test("the nonce that an authorization server gave for a login is in the proof of the first renewal", async () => {
    const server = await openSite({
      token: ({ headers }) => {
        const { nonce } = decodeJwt(String(headers["dpop"]));
        return nonce === "the-nonce"
          ? { json: { access_token: "token", token_type: "DPoP", expires_in: 3600, refresh_token: "refresh" } }
          : { status: 400, headers: { "dpop-nonce": "the-nonce" }, json: { error: "use_dpop_nonce" } };
      },
    });
    const client = await open(`${server.origin}/mcp`, logIn());
    expect(server.at("/token")).toHaveLength(2);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3601_000 });
    await client.listTools({ fresh: true });
    expect(server.at("/token")).toHaveLength(3);
  });

  test("a token of another login, which another process has got, is used with the key of that login", async () => {
    const ended = new Set<string>();
    const server = await site({ accepts: (token) => !ended.has(token) });
    const store = memoryStore();
    const client = await open(`${server.origin}/mcp`, logIn({ store }));
    ended.add(server.at("/mcp").at(-1)!.headers.authorization!.split(" ")[1]!);
    await logIn({ store }).login(`${server.origin}/mcp`);
    await client.listTools({ fresh: true });
    const [first, second, ...more] = await keysAt(server, "/token");
    expect(more).toEqual([]);
    expect(first).not.toBe(second);
    expect((await keysAt(server, "/mcp")).at(-1)).toBe(second);
  });

  test("a machine keeps its key at one authorization server, and has another one at the next", async () => {
    const one = await site();
    const other = await site();
    let current = one.origin;
    const server = await site({ resource: () => ({ authorization_servers: [current] }) });
    const store = memoryStore();
    const machine = (issuer: string): TokenAuth => clientCredentials({ ...secret, issuer, dpop: "required", store });
    const auth = machine(one.origin);
    await auth.login(`${server.origin}/mcp`);
    await auth.login(`${server.origin}/mcp`);
    current = other.origin;
    await machine(other.origin).login(`${server.origin}/mcp`);
    const [first, second] = await keysAt(one, "/token");
    expect(first).toBe(second);
    expect(await keysAt(other, "/token")).not.toContain(first);
  });

  test("a user whose server moves to another authorization server has another key there", async () => {
    const one = await site();
    const other = await site();
    let current = one.origin;
    const server = await site({ resource: () => ({ authorization_servers: [current] }) });
    const auth = logIn();
    await auth.login(`${server.origin}/mcp`);
    current = other.origin;
    await auth.login(`${server.origin}/mcp`);
    expect(await keysAt(other, "/token")).not.toEqual(await keysAt(one, "/token"));
  });
});
