import { AuthError, connect, type ConnectOptions } from "@toolwire/client";
import { type AuthRefusal, bearer, type ClientAuth, oauth } from "@toolwire/client/auth";
import { createServer } from "@toolwire/server";
import { createNodeHandler } from "@toolwire/server/http";
import { serveInMemory } from "@toolwire/server/memory";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { httpPeer } from "../http-peer.ts";
import { instantLogin, protectedSite, startSite } from "./lab/scripted-site.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A provider that has an old token, and gets a good one when that is refused. */
function renewable(): ClientAuth & { readonly refusals: AuthRefusal[] } {
  let token = "old";
  const refusals: AuthRefusal[] = [];
  return {
    refusals,
    prepare: () => ({ authorization: `Bearer ${token}` }),
    async challenged(refusal) {
      refusals.push(refusal);
      token = "good";
    },
  };
}

/** A server of both eras that wants the good token, and says which requests came with which. */
async function guarded() {
  const seen: { method: string; authorization: string | undefined; rpc: string | undefined }[] = [];
  const server = createServer({ name: "guarded", version: "1.0.0", onDiagnostic: () => {} });
  const handler = createNodeHandler(server, { authenticate: ({ header }) => ({ id: header("authorization") ?? "" }) });
  let expected = "Bearer good";
  const answer = async (request: IncomingMessage, response: Parameters<typeof handler>[1]): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = text === "" ? undefined : (JSON.parse(text) as { method?: string });
    const { authorization } = request.headers;
    seen.push({ method: request.method ?? "", authorization, rpc: body?.method });
    if (authorization !== expected) response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    else handler(Object.assign(request, { body }), response);
  };
  const http = createHttpServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  cleanups.push(async () => {
    await handler.close();
    http.closeAllConnections();
    http.close();
  });
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    seen,
    expect: (token: string) => (expected = `Bearer ${token}`),
  };
}

const open = async (url: string, options: ConnectOptions) => {
  const client = await connect(url, options);
  cleanups.push(() => client.close());
  return client;
};

describe("every HTTP request gets credentials, and is sent again when they are refused", () => {
  test("POST of the modern era", async () => {
    const { url, seen } = await guarded();
    const auth = renewable();
    const client = await open(url, { auth });
    expect(client.era).toBe("modern");
    expect(seen.map(({ authorization, rpc }) => [authorization, rpc])).toEqual([
      ["Bearer old", "server/discover"],
      ["Bearer good", "server/discover"],
    ]);
    expect(auth.refusals[0]).toMatchObject({ status: 401, sent: { authorization: "Bearer old" }, previous: [] });
  });

  test("POST, GET and DELETE of a legacy session", async () => {
    const { url, seen, expect: expectToken } = await guarded();
    let token = "good";
    const auth: ClientAuth = {
      prepare: () => ({ authorization: `Bearer ${token}` }),
      challenged: async () => void (token = "better"),
    };
    const client = await open(url, { auth, era: "legacy" });
    await expect.poll(() => seen.some(({ method }) => method === "GET")).toBe(true);
    await client.ping();
    expectToken("better");
    await client.ping();
    expectToken("best");
    const renewed = auth.challenged;
    auth.challenged = async (...args) => {
      await renewed(...args);
      token = "best";
    };
    await client.close();
    expect(seen.filter(({ method }) => method === "DELETE").map(({ authorization }) => authorization)).toEqual([
      "Bearer better",
      "Bearer best",
    ]);
  });

  test("the stream of a legacy session is opened again with a new token", async () => {
    const { url, seen, expect: expectToken } = await guarded();
    let token = "good";
    let gets = 0;
    const auth: ClientAuth = {
      prepare: ({ method }) => ({ authorization: `Bearer ${method === "GET" && gets++ === 0 ? "stale" : token}` }),
      challenged: async () => void (token = "good"),
    };
    expectToken("good");
    await open(url, { auth, era: "legacy" });
    await expect
      .poll(() => seen.filter(({ method }) => method === "GET").map(({ authorization }) => authorization))
      .toEqual(["Bearer stale", "Bearer good"]);
  });

  test("both halves of the HTTP+SSE pair", async () => {
    let write: (text: string) => void = () => {};
    const peer = await httpPeer(({ method, path, headers, body }) => {
      if (headers.authorization !== "Bearer good") return { status: path === "/mcp" && method === "POST" ? 405 : 401 };
      if (method === "GET") {
        return {
          stream(pen) {
            write = pen;
            pen("event: endpoint\ndata: /messages\n\n");
          },
        };
      }
      if (path !== "/messages") return { status: 405 };
      const result = { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "old", version: "1" } };
      if (body?.method === "initialize") write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: body.id, result })}\n\n`);
      if (body?.method === "ping") write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: body.id, result: {} })}\n\n`);
      return { status: 202 };
    });
    cleanups.push(() => peer.close());
    let token = "old";
    const tokens: string[] = [];
    const auth: ClientAuth = {
      prepare: ({ method, url }) => {
        tokens.push(`${method} ${url.pathname} ${token}`);
        return { authorization: `Bearer ${token}` };
      },
      challenged: async () => void (token = "good"),
    };
    const client = await open(peer.url, { auth, revision: "2024-11-05" });
    token = "old";
    await client.ping();
    expect(tokens).toContain("GET /mcp old");
    expect(tokens).toContain("GET /mcp good");
    expect(tokens.slice(-2)).toEqual(["POST /messages old", "POST /messages good"]);
  });

  test("a provider that never tires is stopped after nine refusals of one request", async () => {
    const { url, seen } = await guarded();
    let count = 0;
    const auth: ClientAuth = { prepare: () => ({ authorization: `Bearer ${++count}` }), challenged: async () => {} };
    await expect(connect(url, { auth, era: "modern" })).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect(seen).toHaveLength(9);
  });

  test("the error of a provider is the error of the call", async () => {
    const { url } = await guarded();
    const failing = (when: "prepare" | "later" | "challenged"): ClientAuth => ({
      prepare: () => {
        if (when === "prepare") throw new AuthError("LOGIN_REQUIRED", when);
        return when === "later" ? Promise.reject(new AuthError("LOGIN_REQUIRED", when)) : {};
      },
      challenged: () => Promise.reject(new AuthError("LOGIN_REQUIRED", when)),
    });
    for (const when of ["prepare", "later", "challenged"] as const) {
      await expect(connect(url, { auth: failing(when) })).rejects.toMatchObject({
        code: "LOGIN_REQUIRED",
        message: when,
      });
    }
  });

  test("a 401 that is about a session leads to no login", async () => {
    let calls = 0;
    const peer = await httpPeer(({ method, body, headers }) => {
      if (method !== "POST") return { status: 405 };
      const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x", version: "1" } };
      if (body?.method === "initialize") {
        return { headers: { "mcp-session-id": `s${++calls}` }, json: { jsonrpc: "2.0", id: body.id, result } };
      }
      if (body?.id === undefined) return { status: 202 };
      if (headers["mcp-session-id"] === "s1") return { status: 401, text: "Unauthorized: Session not found" };
      return { json: { jsonrpc: "2.0", id: body.id, result: {} } };
    });
    cleanups.push(() => peer.close());
    const auth = renewable();
    const client = await open(peer.url, { auth, revision: "2025-11-25" });
    await client.ping();
    expect(auth.refusals).toHaveLength(0);
    expect(calls).toBe(2);
  });
});

describe("WebSocket", () => {
  /** A server that opens one connection with a good token, closes it, and refuses all others. */
  const oneConnection = async () => {
    let handshakes = 0;
    const sockets = new WebSocketServer({
      port: 0,
      host: "127.0.0.1",
      handleProtocols: () => "mcp",
      verifyClient: ({ req }: { req: IncomingMessage }, decide: (ok: boolean, status?: number) => void) => {
        handshakes += 1;
        decide(req.headers.authorization === "Bearer good" && handshakes <= 2, 401);
      },
    });
    await once(sockets, "listening");
    cleanups.push(() => sockets.close());
    sockets.on("connection", (socket) => {
      socket.on("message", (data: Buffer) => {
        const { id, method } = JSON.parse(data.toString()) as { id?: number; method: string };
        const result = {
          resultType: "complete",
          supportedVersions: ["2026-07-28"],
          capabilities: {},
          serverInfo: { name: "x", version: "1" },
        };
        if (method === "server/discover") {
          socket.send(JSON.stringify({ jsonrpc: "2.0", id, result }), () => socket.close(1008, "expired"));
        }
      });
    });
    return { url: `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}/`, handshakes: () => handshakes };
  };

  test("a refused handshake is sent again, and a login that fails while reconnecting ends the client", async () => {
    const { url, handshakes } = await oneConnection();
    let token = "old";
    let challenges = 0;
    const auth: ClientAuth = {
      prepare: () => ({ authorization: `Bearer ${token}` }),
      async challenged({ request }) {
        expect(request.url.protocol).toBe("http:");
        challenges += 1;
        if (challenges > 1) throw new AuthError("LOGIN_CANCELLED", "The user has left.");
        token = "good";
      },
    };
    const client = await open(url, {
      auth,
      era: "modern",
      reconnect: { attempts: 10, delay: 1 },
      onDiagnostic: () => {},
    });
    const reason = await client.closed;
    expect(reason).toMatchObject({
      code: "CONNECTION_LOST",
      cause: expect.objectContaining({ code: "LOGIN_CANCELLED" }) as Error,
    });
    expect([challenges, handshakes()]).toEqual([2, 3]);
  });
});

describe("time", () => {
  test("time in a login does not count for the timeouts of connecting, of probing and of a call", async () => {
    const { url, seen, expect: expectToken } = await guarded();
    let token = "old";
    const auth: ClientAuth = {
      prepare: () => ({ authorization: `Bearer ${token}` }),
      challenged: async () => {
        await new Promise((resolve) => setTimeout(resolve, 600));
        token = "good";
      },
    };
    const client = await open(url, { auth, connectTimeout: 300, probeTimeout: 100, timeout: 300, maxTimeout: 400 });
    // Nothing else was tried meanwhile: the server was not taken for a silent one.
    expect(seen.map(({ rpc }) => rpc)).toEqual(["server/discover", "server/discover"]);
    expectToken("newer");
    auth.challenged = async () => {
      await new Promise((resolve) => setTimeout(resolve, 600));
      token = "newer";
    };
    await client.discover();
  });

  test("a server that is silent after a login still meets the timeout", async () => {
    const peer = await httpPeer(({ headers }) =>
      headers.authorization === "Bearer good" ? new Promise(() => {}) : { status: 401 },
    );
    cleanups.push(() => peer.close());
    await expect(connect(peer.url, { auth: renewable(), era: "modern", connectTimeout: 200 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
  });

  test("a call that is given up ends the wait for its login", async () => {
    const { url } = await guarded();
    const stop = new AbortController();
    let signal: AbortSignal | undefined;
    const auth: ClientAuth = {
      prepare: () => ({}),
      challenged: (_, options) => {
        signal = options.signal;
        stop.abort(new Error("never mind"));
        return new Promise(() => {});
      },
    };
    await expect(connect(url, { auth, signal: stop.signal })).rejects.toThrow("never mind");
    expect(signal?.aborted).toBe(true);
  });
});

describe("mistakes", () => {
  test("`auth` together with a header `authorization` is a UsageError, over HTTP and WebSocket, fixed or by function", async () => {
    const { url, seen } = await guarded();
    const headers = { Authorization: "Bearer good" };
    for (const given of [headers, () => headers, async () => new Headers(headers)]) {
      await expect(connect(url, { auth: bearer("x"), http: { headers: given } })).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining("`auth`") as string,
      });
      await expect(
        connect(url.replace("http", "ws"), { auth: bearer("x"), websocket: { headers: given } }),
      ).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    }
    expect(seen).toHaveLength(0);
  });

  test("`auth` is of no use to a transport or a command, and a value that is no provider is refused", async () => {
    const server = createServer({ name: "x", version: "1" });
    const options = { auth: bearer("x") } as object;
    await expect(connect(serveInMemory(server), options)).rejects.toThrow(/`auth`/);
    await expect(connect({ command: "node" }, options)).rejects.toThrow(/`auth`/);
    await expect(connect("https://a.example", { auth: "token" as never })).rejects.toThrow(/`auth` must be/);
  });
});

test("threat 17: no token leaves the origin by a redirect", async () => {
  const other = await startSite(() => ({ json: {} }));
  cleanups.push(() => other.close());
  for (const status of [307, 308, 302]) {
    const site = await startSite(
      protectedSite({
        first: ({ path, headers }) =>
          path === "/mcp" && headers.authorization
            ? { status, headers: { location: `${other.origin}/mcp` } }
            : undefined,
      }),
    );
    cleanups.push(() => site.close());
    const auth = oauth({ login: instantLogin() });
    await expect(connect(`${site.origin}/mcp`, { auth, revision: "2026-07-28" })).rejects.toThrow(/redirects/);
  }
  expect(other.requests).toHaveLength(0);
});

test("a redirect inside of the origin is followed with the token, and a proof for the new address", async () => {
  const urls: string[] = [];
  const site = await startSite(
    protectedSite({
      first: ({ path }) => (path === "/old" ? { status: 307, headers: { location: "/mcp" } } : undefined),
    }),
  );
  cleanups.push(() => site.close());
  const auth: ClientAuth = {
    prepare: ({ url }) => {
      urls.push(url.pathname);
      return { authorization: "Bearer x" };
    },
    challenged: () => Promise.reject(new Error("not refused")),
  };
  await open(`${site.origin}/old`, { auth, revision: "2026-07-28" });
  expect(urls).toEqual(["/old", "/mcp"]);
});

test("a program that uses no authorization loads nothing of it", async () => {
  const { metafile } = await build({
    stdin: {
      contents: 'export { connect } from "@toolwire/client";',
      resolveDir: fileURLToPath(new URL("../..", import.meta.url)),
    },
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    conditions: ["@toolwire/source"],
    external: ["undici", "ws"],
  });
  const files = Object.keys(metafile.inputs);
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => /oauth4webapi|jose|client\/src\/auth\//.test(file))).toEqual([]);
});
