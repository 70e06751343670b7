import { connect, createServerMemory, type ConnectOptions } from "@toolwire/client";
import { describe, expect, test } from "vitest";
import { listen, openEvents, sendJson, type Seen } from "../transports/http/listen.ts";
import type { ServerResponse } from "node:http";

const DISCOVERY = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "x", version: "1" },
};

function answer({ message }: Seen, response: ServerResponse, result: object, headers?: Record<string, string>): void {
  sendJson(response, { jsonrpc: "2.0", id: message?.id, result }, 200, headers);
}

function refuse(seen: Seen, response: ServerResponse, code: number, data?: unknown, id: unknown = seen.message?.id) {
  sendJson(response, { jsonrpc: "2.0", id, error: { code, message: "no", ...(data !== undefined && { data }) } }, 400);
}

/** Speaks 2026-07-28 and nothing else. */
function serveModern(seen: Seen, response: ServerResponse): void {
  const { method, headers, message } = seen;
  if (method !== "POST") response.writeHead(405).end();
  else if (headers["mcp-protocol-version"] !== "2026-07-28") refuse(seen, response, -32020);
  else answer(seen, response, message?.method === "server/discover" ? DISCOVERY : { content: [] });
}

/** Speaks 2025-11-25 and nothing else; `other` answers what is not in a session. */
function serveLegacy(
  seen: Seen,
  response: ServerResponse,
  other: (seen: Seen, response: ServerResponse) => void,
): void {
  const { method, headers, message } = seen;
  if (method !== "POST") response.writeHead(405).end();
  else if (message?.method === "initialize") answer(seen, response, INITIALIZED, { "mcp-session-id": "s" });
  else if (headers["mcp-session-id"] !== "s") other(seen, response);
  else if (message?.id === undefined) response.writeHead(202).end();
  else answer(seen, response, { content: [] });
}

const QUIET: ConnectOptions = { onDiagnostic: () => {} };
const methodsOf = (seen: readonly Seen[]) => seen.map(({ message }) => message?.method);

describe("a server remembered as a legacy one that now is modern only", () => {
  test("is found out by its refusal of the handshake", async () => {
    const { url } = await listen(serveModern);
    const memory = createServerMemory();
    memory.set(url, "legacy");
    const client = await connect(url, { ...QUIET, memory });
    expect(client.era).toBe("modern");
    expect(memory.get(url)).toBe("modern");
    await client.close();
  });

  test("is forgotten when it cannot be reached in either way", async () => {
    const { url } = await listen((_, response) => response.destroy());
    for (const era of ["legacy", "sse-pair", "modern"] as const) {
      const memory = createServerMemory();
      memory.set(url, era);
      await expect(connect(url, { ...QUIET, memory })).rejects.toMatchObject({ code: "CONNECTION_LOST" });
      expect(memory.get(url)).toBeUndefined();
    }
  });

  test("is found out under an open client, whose call is sent again", async () => {
    let isModern = false;
    const { url } = await listen((seen, response) => {
      if (isModern && seen.message?.method === "custom") {
        const error = { code: -32601, message: "no" };
        sendJson(response, { jsonrpc: "2.0", id: seen.message.id, error }, 404);
      } else if (isModern && seen.message?.method === "notifications/custom") response.writeHead(404).end();
      else if (isModern) serveModern(seen, response);
      else serveLegacy(seen, response, (other, to) => refuse(other, to, -32000));
    });
    const client = await connect(url, { ...QUIET, memory: false });
    expect(client.era).toBe("legacy");
    isModern = true;
    await expect(client.callTool("t")).resolves.toEqual({ content: [] });
    expect(client.era).toBe("modern");
    // There is no session any more that 404 could be about.
    await expect(client.request("custom")).rejects.toMatchObject({ code: -32601 });
    await expect(client.notify("notifications/custom")).rejects.toMatchObject({ status: 404 });
    await client.close();
  });

  /** A legacy server that becomes a modern one, and refuses what is not modern in its own way. */
  async function connectToChanging(refuseOld: (seen: Seen, response: ServerResponse) => void) {
    let isModern = false;
    let asked: (() => void) | undefined;
    const discovery = new Promise<void>((resolve) => (asked = resolve));
    const { url } = await listen((seen, response) => {
      if (!isModern) serveLegacy(seen, response, (other, to) => refuse(other, to, -32000));
      else if (seen.headers["mcp-protocol-version"] === "2026-07-28") {
        if (seen.message?.method === "server/discover") asked?.();
        serveModern(seen, response);
      } else refuseOld(seen, response);
    });
    const client = await connect(url, { ...QUIET, memory: false });
    expect(client.era).toBe("legacy");
    isModern = true;
    return { client, discovery };
  }

  const error = { code: -32000, message: "no" };

  test.each([400, 404])("is found out though it takes a handshake for something unknown (%i)", async (status) => {
    const { client } = await connectToChanging((_, response) =>
      sendJson(response, { jsonrpc: "2.0", id: null, error }, status),
    );
    await expect(client.callTool("t")).resolves.toEqual({ content: [] });
    expect(client.era).toBe("modern");
    await client.close();
  });

  test("is found out for later calls by a 404 that names a call, which may have been acted on", async () => {
    const { client, discovery } = await connectToChanging(({ message }, response) =>
      sendJson(response, { jsonrpc: "2.0", id: message?.id, error }, 404),
    );
    await expect(client.callTool("t")).rejects.toMatchObject({ ...error, refusal: { detail: "HTTP status 404" } });
    await discovery;
    await expect(client.callTool("t")).resolves.toEqual({ content: [] });
    expect(client.era).toBe("modern");
    await client.close();
  });
});

test("a server remembered for its HTTP+SSE pair that has moved on, and kept a stream at its address, is found out", async () => {
  const { url, seen } = await listen((request, response) => {
    if (request.method === "GET") openEvents(response);
    else serveLegacy(request, response, (other, to) => refuse(other, to, -32000));
  });
  const memory = createServerMemory();
  memory.set(url, "sse-pair");
  const client = await connect(url, { ...QUIET, memory, probeTimeout: 50 });
  expect(client.revision).toBe("2025-11-25");
  expect(memory.get(url)).toBe("legacy");
  expect(seen[0]?.method).toBe("GET");
  await client.close();
});

describe("a modern server that becomes a legacy one under an open client", () => {
  test.each<[string, (seen: Seen, response: ServerResponse) => void]>([
    ["the revisions it speaks", (seen, response) => refuse(seen, response, -32022, { supported: ["2025-11-25"] })],
    ["400 and -32000 without an id", (seen, response) => refuse(seen, response, -32000, undefined, null)],
    ["400 and an id of its own", (seen, response) => refuse(seen, response, -32600, undefined, "server-error")],
    ["400 and nothing", (_, response) => response.writeHead(400).end()],
    ["404 and a page", (_, response) => response.writeHead(404).end("<html>")],
  ])("gets the call again in the legacy era if it refuses with %s", async (_, other) => {
    let isModern = true;
    const { url, seen } = await listen((request, response) => {
      if (isModern) serveModern(request, response);
      else serveLegacy(request, response, other);
    });
    const client = await connect(url, { ...QUIET, memory: false });
    expect(client.era).toBe("modern");
    isModern = false;
    const meta = { "com.example/trace": "1" };
    await expect(client.callTool("t", { a: 1 })).resolves.toEqual({ content: [] });
    expect(client.era).toBe("legacy");
    expect(seen.at(-1)?.message).toMatchObject({ method: "tools/call", params: { name: "t", arguments: { a: 1 } } });
    expect(seen.at(-1)?.message?.params?.["_meta"]).toEqual({});
    await client.callTool("t", {}, { _meta: meta });
    expect(seen.at(-1)?.message?.params?.["_meta"]).toEqual(meta);
    await client.close();
  });

  test("keeps what the caller put into `_meta`", async () => {
    let isModern = true;
    const { url, seen } = await listen((request, response) => {
      if (isModern) serveModern(request, response);
      else serveLegacy(request, response, (__, to) => to.writeHead(400).end());
    });
    const client = await connect(url, { ...QUIET, memory: false });
    isModern = false;
    const meta = { "com.example/trace": "1" };
    await client.callTool("t", {}, { _meta: meta, logLevel: "info" });
    expect(seen.at(-1)?.message?.params?.["_meta"]).toEqual(meta);
    await client.close();
  });
});

test("a modern server that refuses in doubtful terms is asked for its era once, and its refusal told", async () => {
  const { url, seen } = await listen((request, response) => {
    if (request.message?.method === "tools/call") response.writeHead(404).end("<html>");
    else serveModern(request, response);
  });
  const client = await connect(url, { ...QUIET, memory: false });
  await expect(client.callTool("t")).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE", status: 404 });
  await expect(client.callTool("t")).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE", status: 404 });
  expect(methodsOf(seen)).toEqual(["server/discover", "tools/call", "server/discover", "tools/call"]);
  await client.close();
});

describe("the list of revisions in the answer to server/discover", () => {
  const listing = (supportedVersions: string[]) =>
    listen((seen, response) => {
      if (seen.message?.method !== "server/discover") {
        serveLegacy(seen, response, (other, to) => refuse(other, to, -32000));
      } else answer(seen, response, { ...DISCOVERY, supportedVersions });
    });

  test("is believed: legacy revisions lead to the handshake", async () => {
    const { url, seen } = await listing(["2025-11-25", "2025-06-18"]);
    const client = await connect(url, { ...QUIET, memory: false });
    expect(client.revision).toBe("2025-11-25");
    expect(methodsOf(seen).slice(0, 2)).toEqual(["server/discover", "initialize"]);
    await client.close();
  });

  test("is believed: nothing in common is told, with what each side speaks", async () => {
    const { url, seen } = await listing(["2027-01-01"]);
    const failure = connect(url, { ...QUIET, memory: false });
    await expect(failure).rejects.toMatchObject({ code: "NO_COMMON_REVISION" });
    await expect(failure).rejects.toThrow("the server speaks 2027-01-01");
    expect(methodsOf(seen)).toEqual(["server/discover"]);
  });

  test("may be empty: then the server speaks the revision it answers in", async () => {
    const { url } = await listing([]);
    const client = await connect(url, { ...QUIET, memory: false });
    expect(client.revision).toBe("2026-07-28");
    await client.close();
  });
});

describe("a legacy server that answers the probe with", () => {
  test.each<[string, (seen: Seen, response: ServerResponse) => void]>([
    ["202", (_, response) => response.writeHead(202).end()],
    ["200 and nothing", (_, response) => response.writeHead(200).end()],
    ["200 and a page", (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>")],
    ["200 and null", (_, response) => sendJson(response, null)],
    ["400 and an id of its own", (seen, response) => refuse(seen, response, -32600, undefined, "server-error")],
  ])("%s is asked for the handshake at once", async (_, other) => {
    const { url } = await listen((seen, response) => serveLegacy(seen, response, other));
    const client = await connect(url, { ...QUIET, memory: false, probeTimeout: Infinity });
    expect(client.era).toBe("legacy");
    await client.close();
  });
});

test("credentials that are refused end the negotiation, though the other question is unanswered", async () => {
  const { url } = await listen(({ message }, response) => {
    if (message?.method === "initialize") response.writeHead(401).end();
  });
  await expect(connect(url, { ...QUIET, memory: false, probeTimeout: 1 })).rejects.toMatchObject({
    code: "UNAUTHORIZED",
  });
});
