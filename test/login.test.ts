/** A user logs in at a server that runs in another process, by a real authorization server. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Client, connect, type ConnectOptions, textOf } from "@toolwire/client";
import { oauth } from "@toolwire/client/auth";
import { expect, onTestFinished, test } from "vitest";
import {
  type IdentityProvider,
  type IdentityProviderOptions,
  startProvider,
} from "../packages/client/test/auth/lab/identity-provider.ts";
import { findPort } from "@toolwire/engines";
import type { ServerSettings } from "./login/server.ts";

const program = fileURLToPath(new URL("login/server.ts", import.meta.url));

/** Starts the server. It is killed when the test ends, or before. */
async function start(settings: ServerSettings): Promise<{ url: string; kill(): Promise<void> }> {
  const execArgv = ["--conditions=@toolwire/source", "--import", "tsx"];
  const child: ChildProcess = fork(program, [JSON.stringify(settings)], { execArgv });
  const exited = once(child, "exit");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  const listening = once(child, "message") as Promise<[string]>;
  const ended = exited.then((): never => {
    throw new Error("The server has ended.");
  });
  const [url] = await Promise.race([listening, ended]);
  return { url, kill };
}

async function open(url: string, options: ConnectOptions): Promise<Client> {
  const client = await connect(url, options);
  onTestFinished(() => client.close());
  return client;
}

async function provide(options?: IdentityProviderOptions): Promise<IdentityProvider> {
  const provider = await startProvider(options);
  onTestFinished(() => provider.close());
  return provider;
}

/** A user who logs in at whichever provider a page is of, and the pages of the logins. */
function createUser(...providers: readonly IdentityProvider[]) {
  const logins: URL[] = [];
  const authorize = (url: URL): Promise<string> => {
    logins.push(url);
    const provider = providers.find(({ issuer }) => issuer === url.origin);
    if (provider === undefined) throw new Error(`There is no provider at ${url.origin}.`);
    return provider.logIn(url, "alice");
  };
  const login = { redirectUri: "http://127.0.0.1:33418/callback", authorize };
  return { auth: oauth({ client: { name: "test" }, login }), logins };
}

const nameOf = ({ issuer }: IdentityProvider): string => JSON.stringify([issuer, "alice"]);

const CASES = ["2026-07-28", "2025-11-25"].flatMap((revision) =>
  ["http", "websocket"].map((transport) => [transport, revision] as const),
) as [transport: ServerSettings["transport"], revision: "2026-07-28" | "2025-11-25"][];

test.each(CASES)(
  "a user logs in once over %s in %s, and stays logged in when the server is killed and started again",
  async (transport, revision) => {
    const provider = await provide();
    const settings = { issuer: provider.issuer, transport, port: await findPort() };
    const first = await start(settings);
    const { auth, logins } = createUser(provider);

    const client = await open(first.url, { auth, revision });
    expect(textOf(await client.callTool("whoami"))).toBe(nameOf(provider));
    expect(logins.map((url) => url.searchParams.get("resource"))).toEqual([`http://127.0.0.1:${settings.port}/mcp`]);
    await client.close();
    await first.kill();

    const second = await start(settings);
    const again = await open(second.url, { auth, revision });
    expect(textOf(await again.callTool("whoami"))).toBe(nameOf(provider));
    expect(logins).toHaveLength(1);

    // The token of a WebSocket is that of its handshake.
    if (transport === "websocket") return;
    expect(textOf(await again.callTool("write"))).toBe("written");
    expect(logins.map((url) => url.searchParams.get("scope")?.includes("mcp:write"))).toEqual([false, true]);
  },
);

test.each(CASES)(
  "tokens are bound to a key over %s in %s, and every proof has a nonce of the server",
  async (transport, revision) => {
    const provider = await provide({ requiresDpopNonce: true });
    const { url } = await start({
      issuer: provider.issuer,
      transport,
      port: await findPort(),
      nonces: "always",
    });
    const { auth, logins } = createUser(provider);
    const client = await open(url, { auth, revision });
    expect(textOf(await client.callTool("whoami"))).toBe(nameOf(provider));
    expect(textOf(await client.callTool("whoami"))).toBe(nameOf(provider));
    expect(logins).toHaveLength(1);
    expect(provider.tokenRequests("authorization_code").map(({ headers }) => headers["dpop"] !== undefined)).toContain(
      true,
    );
  },
);

test.each(CASES)(
  "no call fails over %s in %s when a server that binds tokens to keys is started again, and wants other nonces",
  async (transport, revision) => {
    const provider = await provide();
    const settings = {
      issuer: provider.issuer,
      transport,
      port: await findPort(),
      nonces: "after a start",
    } as const;
    const first = await start(settings);
    const { auth, logins } = createUser(provider);
    const client = await open(first.url, { auth, revision });
    expect(textOf(await client.callTool("whoami"))).toBe(nameOf(provider));
    await first.kill();
    await start(settings);
    expect(textOf(await client.callTool("whoami"))).toBe(nameOf(provider));
    expect(textOf(await client.callTool("whoami"))).toBe(nameOf(provider));
    expect(logins).toHaveLength(1);
  },
);

test.each(CASES)("tokens that only their issuer can read let a user in over %s in %s", async (transport, revision) => {
  const client = { id: "rs", secret: "rs-secret" };
  const provider = await provide({
    format: "opaque",
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [],
        response_types: [],
        grant_types: [],
      },
    ],
  });
  const { url } = await start({ issuer: provider.issuer, transport, port: await findPort(), client });
  const connected = await open(url, { auth: createUser(provider).auth, revision });
  expect(textOf(await connected.callTool("whoami"))).toBe(nameOf(provider));
});

test.each(CASES)(
  "tokens of five seconds are renewed over %s in %s, each by a refresh token that is used once",
  async (transport, revision) => {
    const provider = await provide({ lifetime: 5 });
    const { url } = await start({ issuer: provider.issuer, transport, port: await findPort() });
    const { auth, logins } = createUser(provider);
    const client = await open(url, { auth, revision });
    const callAndCount = async (): Promise<number> => {
      expect(textOf(await client.callTool("whoami"))).toBe(nameOf(provider));
      return provider.tokenRequests("refresh_token").length;
    };
    await expect.poll(callAndCount, { timeout: 30_000, interval: 250 }).toBeGreaterThanOrEqual(2);
    const used = provider.tokenRequests("refresh_token").map(({ body }) => body.get("refresh_token"));
    expect(new Set(used).size).toBe(used.length);
    expect(logins).toHaveLength(1);
  },
  60_000,
);

test.each(CASES)(
  "a server that has moved to another provider makes the user log in there over %s in %s, and nothing of the old one is sent there",
  async (transport, revision) => {
    const [before, after] = [await provide(), await provide()];
    const port = await findPort();
    const first = await start({ issuer: before.issuer, transport, port });
    const { auth, logins } = createUser(before, after);
    const client = await open(first.url, { auth, revision });
    expect(textOf(await client.callTool("whoami"))).toBe(nameOf(before));
    await client.close();
    await first.kill();

    const second = await start({ issuer: after.issuer, transport, port });
    const again = await open(second.url, { auth, revision });
    expect(textOf(await again.callTool("whoami"))).toBe(nameOf(after));
    expect(logins.map(({ origin }) => origin)).toEqual([before.issuer, after.issuer]);
    expect(after.tokenRequests("refresh_token")).toEqual([]);
  },
);
