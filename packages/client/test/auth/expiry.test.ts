/** A server ends what has no end of its own when the token of its caller expires. Clients come back with a new token. */
import { type Client, connect, type ConnectOptions } from "@toolwire/client";
import { type ClientAuth, oauth } from "@toolwire/client/auth";
import { AuthError } from "@toolwire/protocol";
import { createServer, type Principal, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { serveWebSocket } from "@toolwire/server/websocket";
import { afterEach, describe, expect, test } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { startProvider } from "./lab/identity-provider.ts";
import { startProtectedServer } from "./lab/protected-server.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** How long each token is good. */
const LIFETIME_MS = 400;

/** Gives tokens that say when they expire, and a new one when that has come. */
function shortTokens(): ClientAuth & { readonly used: Set<string> } {
  const used = new Set<string>();
  let expiry = 0;
  return {
    used,
    prepare() {
      if (expiry <= Date.now()) expiry = Date.now() + LIFETIME_MS;
      used.add(String(expiry));
      return { authorization: `Bearer ${expiry}` };
    },
    async challenged() {
      expiry = 0;
    },
  };
}

/** Takes tokens until they expire, over HTTP and WebSocket. */
async function expiring() {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createServer({
    name: "expiring",
    version: "1.0.0",
    onDiagnostic: () => {},
    tools: { echo: tool({ run: () => "echo" }), hold: tool({ run: () => gate.then(() => "held") }) },
  });
  /** The expiry of every token that a long-lived request or a connection was opened with. */
  const opened: number[] = [];
  const authenticate = ({
    method,
    header,
  }: {
    method: string;
    header: (name: string) => string | undefined;
  }): Principal => {
    const expiresAt = Number(header("authorization")?.replace("Bearer ", ""));
    if (!(expiresAt > Date.now())) throw new AuthError("UNAUTHORIZED", "The token has expired.");
    if (method === "GET") opened.push(expiresAt);
    return { id: "ada", expiresAt };
  };
  const http = await serveHttp(server, { port: 0, authenticate, legacy: { retryDelay: 100 } });
  const sockets = await serveWebSocket(server, { port: 0, authenticate });
  cleanups.push(
    () => sockets.close(),
    () => http.close(),
  );
  return { server, http: http.url, ws: sockets.url, opened, release };
}

async function open(url: string, options: ConnectOptions): Promise<Client> {
  const client = await connect(url, options);
  cleanups.push(() => client.close());
  return client;
}

/** Watches the tools of a client, and notes how the subscription ends, if it does. */
async function watch(client: Client) {
  const heard: unknown[] = [];
  const ended: unknown[] = [];
  const subscription = await client.subscribe({ tools: true }, (change) => heard.push(change));
  void subscription.closed.then((reason) => ended.push(reason ?? "closed"));
  return { heard, ended };
}

describe("what ends with its token is renewed with a new one, and no failure is reported", () => {
  test.each([
    ["a modern subscription over HTTP", "http", "modern"],
    ["the stream of a legacy session", "http", "legacy"],
    ["a WebSocket and a modern subscription", "ws", "modern"],
    ["a WebSocket of the legacy era", "ws", "legacy"],
  ] as const)("%s", async (_, place, era) => {
    const rig = await expiring();
    const auth = shortTokens();
    const client = await open(rig[place], { auth, era });
    const { heard, ended } = await watch(client);
    const outcomes: unknown[] = [];
    // Two further tokens: each renewal is itself renewed.
    await eventually(async () => {
      outcomes.push((await client.callTool("echo")).content);
      expect(auth.used.size).toBeGreaterThan(2);
    });
    expect(new Set(outcomes.map((content) => JSON.stringify(content)))).toEqual(
      new Set(['[{"type":"text","text":"echo"}]']),
    );
    heard.length = 0;
    await eventually(() => {
      rig.server.tools.add(`tool-${rig.server.tools.names.length}`, tool({ run: () => "" }));
      expect(heard).not.toEqual([]);
    });
    expect(ended).toEqual([]);
    if (place === "ws" || era === "legacy") expect(new Set(rig.opened).size).toBeGreaterThan(1);
  });

  test("a call that is under way at the end of a WebSocket's token is answered, and the subscription is renewed", async () => {
    const rig = await expiring();
    const auth = shortTokens();
    const client = await open(rig.ws, { auth, era: "modern" });
    const { ended } = await watch(client);
    const held = client.callTool("hold");
    await expect.poll(() => rig.opened[0]! < Date.now(), { timeout: 20_000 }).toBe(true);
    // Longer than a client waits for the end of an idle connection.
    await expect.poll(() => rig.opened[0]! + 1500 < Date.now(), { timeout: 20_000 }).toBe(true);
    expect(ended).toEqual([]);
    rig.release();
    expect((await held).content).toEqual([{ type: "text", text: "held" }]);
    await eventually(() => expect(rig.opened.length).toBeGreaterThan(1));
    expect((await client.callTool("echo")).content).toEqual([{ type: "text", text: "echo" }]);
    expect(ended).toEqual([]);
  });

  test("with a real authorization server, the new token comes from a refresh", async () => {
    const idp = await startProvider({ lifetime: 2 });
    cleanups.push(() => idp.close());
    const rs = await startProtectedServer({ providers: [idp] });
    cleanups.push(() => rs.close());
    let logins = 0;
    const authorize = (url: URL) => {
      logins += 1;
      return idp.logIn(url);
    };
    const client = await open(rs.url, { auth: oauth({ login: { redirectUri: "http://127.0.0.1:1/cb", authorize } }) });
    const { heard, ended } = await watch(client);
    const tokens = () => rs.seen.filter(({ rpc }) => rpc === "subscriptions/listen").map((each) => each.authorization);
    await eventually(() => expect(new Set(tokens()).size).toBeGreaterThan(2));
    await eventually(() => expect(heard.length).toBeGreaterThan(0));
    expect([ended, logins]).toEqual([[], 1]);
  });
});
