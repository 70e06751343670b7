import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createServer, tool } from "@toolwire/server";
import { serveWebSocket } from "@toolwire/server/websocket";
import { expect, onTestFinished, test } from "vitest";
import { type IdentityProvider, startProvider } from "../../../client/test/auth/lab/identity-provider.ts";
import { startProtectedServer } from "../../../client/test/auth/lab/protected-server.ts";
import { startGateway, type GatewayProcess } from "../gateway-process.ts";
import { findPort } from "../logins/find-port.ts";
import { Browser } from "../logins/lab.ts";
import { simulateApi } from "../simulated-api.ts";

const ADMIN = "admin-token-of-the-test-0123456789";
const SECRET = "secret-of-a-client-0123456789";
const HOOK = pathToFileURL(join(import.meta.dirname, "fixtures/log-sockets.mjs")).href;

interface SocketEvent {
  readonly event: "opened" | "connected";
  readonly isGuarded?: boolean;
  readonly stack?: string;
  readonly port?: number;
}

/** Everything that a gateway can connect to, each on a port of its own. */
interface Surroundings {
  readonly ports: { readonly [what: string]: number };
  readonly config: string;
  readonly clients: number;
  readonly admin: number;
  readonly provider: IdentityProvider;
  /** The issuer of the tokens of callers. */
  readonly keyIssuer: string;
  readonly documentUrl: string;
}

async function surround(network: string): Promise<Surroundings> {
  const [clients, admin] = [await findPort(), await findPort()];
  const provider = await startProvider({
    clients: [
      {
        client_id: "page",
        client_secret: SECRET,
        redirect_uris: [`http://127.0.0.1:${admin}/login/callback`],
        grant_types: ["authorization_code"],
      },
    ],
  });
  const keys = await startProvider();
  const introspection = createHttpServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end('{"active":false}');
  });
  await new Promise<void>((resolve) => introspection.listen(0, "127.0.0.1", resolve));
  const api = await simulateApi(() => ({ body: "fine" }));
  const document = await simulateApi(() => ({
    body: JSON.stringify({
      openapi: "3.1.0",
      info: { title: "API", version: "1" },
      servers: [{ url: api.url }],
      paths: { "/x": { get: { operationId: "getX", responses: {} } } },
    }),
  }));
  const protectedServer = await startProtectedServer({ providers: [provider] });
  const sockets = await serveWebSocket(
    createServer({ name: "sockets", version: "1", tools: { say: tool({ description: "Says", run: () => "said" }) } }),
    { port: 0 },
  );
  onTestFinished(async () => {
    await Promise.all([provider.close(), keys.close(), protectedServer.close(), sockets.close()]);
    await Promise.all([api[Symbol.asyncDispose](), document[Symbol.asyncDispose]()]);
    await new Promise((resolve) => introspection.close(resolve));
  });
  const introspectionPort = (introspection.address() as AddressInfo).port;
  const portOf = (url: string): number => Number(new URL(url).port);
  const config = JSON.stringify({
    version: 1,
    analytics: { store: "memory" },
    network: { allow: [network] },
    listen: { publicUrl: `http://127.0.0.1:${clients}` },
    admin: {
      token: "${env:ADMIN}",
      login: {
        issuer: provider.issuer,
        client: { id: "page", secret: "${env:SECRET}" },
        allow: { subjects: ["ada"] },
      },
    },
    servers: {
      apis: {
        tools: { get: { description: "Gets", request: { method: "GET", url: `${api.url}/x` } } },
        openapi: { document: `${document.url}/openapi.json`, baseUrl: api.url },
      },
      live: { upstreams: { live: { url: sockets.url } } },
      work: {
        auth: { apiKeys: true },
        upstreams: { notes: { url: protectedServer.url, auth: { oauth: { shared: true } } } },
      },
      keys: { auth: { oauth: { issuer: keys.issuer } }, tools: {} },
      asked: {
        auth: {
          oauth: {
            issuer: keys.issuer,
            introspection: {
              endpoint: `http://127.0.0.1:${introspectionPort}/introspect`,
              client: { id: "gateway", secret: "${env:SECRET}" },
            },
          },
        },
        tools: {},
      },
    },
  });
  const ports = {
    api: portOf(api.url),
    document: portOf(document.url),
    protected: portOf(protectedServer.url),
    sockets: portOf(sockets.url),
    provider: portOf(provider.issuer),
    keys: portOf(keys.issuer),
    introspection: introspectionPort,
  };
  return {
    ports,
    config,
    clients,
    admin,
    provider,
    keyIssuer: keys.issuer,
    documentUrl: `${document.url}/openapi.json`,
  };
}

/** Starts a gateway that writes down its connections. */
async function start({ config, clients, admin }: Surroundings) {
  const folder = await mkdtemp(join(tmpdir(), "sockets-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const log = join(folder, "sockets.jsonl");
  const env = { ADMIN, SECRET, SOCKET_LOG: log, NODE_OPTIONS: `--import=${HOOK}` };
  const gateway = await startGateway(config, env, { clients, admin });
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  const events = async (): Promise<readonly SocketEvent[]> => {
    const text = await readFile(log, "utf8").catch(() => "");
    return text.split("\n").flatMap((line) => (line === "" ? [] : (JSON.parse(line) as SocketEvent)));
  };
  return { gateway, events };
}

async function post(gateway: GatewayProcess, slug: string, message: object, token?: string): Promise<string> {
  const response = await fetch(`${gateway.url}/mcp/${slug}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  });
  return response.text();
}

function ask(gateway: GatewayProcess, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${gateway.adminUrl}/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

const LIST = { method: "tools/list" };

/** A token of a stranger: its issuer is asked for the keys. */
function forgeToken(issuer: string): string {
  const write = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  return [write({ alg: "ES256", kid: "x", typ: "at+jwt" }), write({ iss: issuer }), "AAAA"].join(".");
}

test("every-connection-is-guarded: whatever a gateway connects to, from tools to the revocation of tokens, the guard opens the connection", async () => {
  const around = await surround("127.0.0.1");
  const { gateway, events } = await start(around);
  await post(gateway, "apis", { method: "tools/call", params: { name: "get", arguments: {} } });
  expect(await post(gateway, "live", LIST)).toContain("say");
  const token = forgeToken(around.keyIssuer);
  for (const slug of ["keys", "asked"]) await post(gateway, slug, LIST, token);
  expect((await ask(gateway, "POST", "servers/more/import", { url: around.documentUrl })).status).toBeLessThan(300);

  const browser = new Browser();
  const logins = "servers/work/upstreams/notes/logins";
  const { url } = (await (await ask(gateway, "POST", logins, {})).json()) as { readonly url: string };
  await browser.connect(url, around.provider, "robot");
  expect((await ask(gateway, "DELETE", logins)).status).toBe(204);
  expect(around.provider.requests.some(({ path }) => path === "/token/revocation")).toBe(true);

  const navigation = { "sec-fetch-mode": "navigate", "sec-fetch-site": "same-origin" };
  const login = await browser.get(`${gateway.adminUrl}/login/start`, navigation);
  const back = await around.provider.logIn(login.headers.get("location") ?? "", "ada");
  await browser.get(back, { "sec-fetch-mode": "navigate", "sec-fetch-site": "cross-site" });

  const all = await events();
  expect(all.filter(({ isGuarded }) => isGuarded === false).map(({ stack }) => stack)).toEqual([]);
  const connected = new Set(all.flatMap(({ port }) => port ?? []));
  const missed = Object.entries(around.ports).filter(([, port]) => !connected.has(port));
  expect(missed).toEqual([]);
  expect([...connected].filter((port) => !Object.values(around.ports).includes(port))).toEqual([]);
});

test("A gateway whose network allows no such address opens no connection at all, whatever it is asked", async () => {
  const around = await surround("192.0.2.0/24");
  const { gateway, events } = await start(around);
  await post(gateway, "apis", { method: "tools/call", params: { name: "get", arguments: {} } });
  await post(gateway, "live", LIST);
  for (const slug of ["keys", "asked"]) await post(gateway, slug, LIST, forgeToken(around.keyIssuer));
  await ask(gateway, "POST", "servers/more/import", { url: around.documentUrl });
  const { url } = (await (await ask(gateway, "POST", "servers/work/upstreams/notes/logins", {})).json()) as {
    readonly url: string;
  };
  const browser = new Browser();
  await browser.submit(url, await (await browser.get(url)).text());
  await browser.get(`${gateway.adminUrl}/login/start`, {
    "sec-fetch-mode": "navigate",
    "sec-fetch-site": "same-origin",
  });
  expect(await events()).toEqual([]);
});
