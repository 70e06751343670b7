import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { connect, RpcError } from "../../src/index.ts";
import { listen, sendJson } from "../http/listen.ts";

const DISCOVERY = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
const HANDSHAKE = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "legacy", version: "1" },
};

/** How often the tool of a server ran that answers calls with this error, and what its callers heard. */
async function callTwice(
  era: "modern" | "legacy",
  code: number,
  rediscover: "as before" | "busy",
): Promise<{ runs: number; refusals: unknown[] }> {
  let runs = 0;
  let discoveries = 0;
  const { url } = await listen(({ message, method }, response) => {
    const id = message?.id;
    if (method !== "POST") return void response.writeHead(405).end();
    if (id === undefined) return void response.writeHead(202).end();
    if (message?.method === "server/discover" && era === "modern") {
      if (++discoveries > 1 && rediscover === "busy") return void response.writeHead(503).end("busy");
      return sendJson(response, { jsonrpc: "2.0", id, result: DISCOVERY });
    }
    if (message?.method === "initialize") return sendJson(response, { jsonrpc: "2.0", id, result: HANDSHAKE });
    if (message?.method !== "tools/call") {
      return sendJson(response, { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
    }
    runs += 1;
    return sendJson(response, { jsonrpc: "2.0", id, error: { code, message: "declined after reserving" } });
  });
  const client = await connect(url, { memory: false, onDiagnostic: () => {} });
  const refusals = [];
  for (let count = 0; count < 2; count++) {
    refusals.push(await client.callTool("pay", {}).catch((error: unknown) => error));
  }
  await client.close();
  return { runs, refusals };
}

describe("a call that its server has acted on is sent once, whatever the number of the error", () => {
  it.each([
    ["legacy", -32_020],
    ["legacy", -32_021],
    ["legacy", -32_022],
    ["modern", -32_000],
    ["modern", -32_600],
  ] as const)("%s server, %i", async (era, code) => {
    for (const rediscover of ["as before", "busy"] as const) {
      const { runs, refusals } = await callTwice(era, code, rediscover);
      expect(runs).toBe(2);
      for (const refusal of refusals) {
        expect(refusal).toBeInstanceOf(RpcError);
        expect(refusal).toMatchObject({ code, message: "declined after reserving" });
      }
    }
  });
});

describe("a session that its server does not know any more", () => {
  /** Pays once with a server whose second session is the first that it knows, and refuses the others in its own way. */
  async function pay(refuse: (response: ServerResponse, id: number) => unknown) {
    let sessions = 0;
    let refusals = 0;
    const { url } = await listen(({ message, method, headers }, response) => {
      const id = message?.id as number | undefined;
      if (method !== "POST") return void response.writeHead(405).end();
      if (message?.method === "server/discover") return void response.writeHead(404).end();
      if (message?.method === "initialize") {
        response.setHeader("mcp-session-id", `s${++sessions}`);
        return sendJson(response, { jsonrpc: "2.0", id, result: HANDSHAKE });
      }
      if (id === undefined) return void response.writeHead(202).end();
      const isKnown = headers["mcp-session-id"] === "s2";
      if (isKnown) return sendJson(response, { jsonrpc: "2.0", id, result: { content: [] } });
      refusals++;
      return void refuse(response, id);
    });
    const client = await connect(url, { memory: false });
    const outcome = await client.callTool("pay", {}).then(
      () => "done",
      (error: unknown) => error,
    );
    await client.close();
    return { outcome, sessions, refusals };
  }

  it.each([
    [404, "Session not found"],
    [400, { jsonrpc: "2.0", id: null, error: { code: -32_000, message: "Bad Request: Server not initialized" } }],
    [400, { jsonrpc: "2.0", id: null, error: { code: -32_001, message: "Unknown session" } }],
    [400, { jsonrpc: "2.0", id: "server-error", error: { code: -32_600, message: "No valid session ID provided" } }],
    [400, { error: "Invalid or expired session" }],
    [400, "Bad Request: No valid session ID provided"],
    [401, "Unauthorized: Session not found"],
  ])("is opened anew, also if that is said by %i and %j", async (status, body) => {
    const { outcome, sessions } = await pay((response) =>
      response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body)),
    );
    expect(outcome).toBe("done");
    expect(sessions).toBe(2);
  });

  it.each([
    [-32_602, Number],
    [-32_602, String],
    [-32_000, Number],
    [-32_000, String],
    ["E_PAID", Number],
  ])("is not what a server means that has looked into the call, by code %j and its id as a %o", async (code, as) => {
    const message = "The payment session is over";
    const { outcome, sessions, refusals } = await pay((response, id) =>
      sendJson(response, { jsonrpc: "2.0", id: as(id), error: { code, message } }, 400),
    );
    expect(outcome).toMatchObject({ message: expect.stringContaining(message) as string });
    expect({ sessions, refusals }).toEqual({ sessions: 1, refusals: 1 });
  });

  it("is not what a server means that wants other credentials", async () => {
    const { outcome, refusals } = await pay((response) =>
      response.writeHead(401).end("Your session has expired: log in"),
    );
    expect(outcome).toMatchObject({
      code: "UNAUTHORIZED",
      message: expect.stringContaining('It says: "Your session has expired: log in"') as string,
    });
    expect(refusals).toBe(1);
  });
});
