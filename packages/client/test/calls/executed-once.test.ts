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

it("a session that its server does not know any more is opened anew, also if that is said by 400 and -32000", async () => {
  let session = 0;
  const { url } = await listen(({ message, method, headers }, response) => {
    const id = message?.id;
    if (method !== "POST") return void response.writeHead(405).end();
    if (message?.method === "server/discover") return void response.writeHead(404).end();
    if (message?.method === "initialize") {
      response.setHeader("mcp-session-id", `s${++session}`);
      return sendJson(response, { jsonrpc: "2.0", id, result: HANDSHAKE });
    }
    if (id === undefined) return void response.writeHead(202).end();
    if (headers["mcp-session-id"] !== "s2") {
      const error = { code: -32_000, message: "Bad Request: No valid session ID provided" };
      response.writeHead(400, { "content-type": "application/json" });
      return void response.end(JSON.stringify({ jsonrpc: "2.0", error, id: null }));
    }
    return sendJson(response, { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } });
  });
  const client = await connect(url, { memory: false });
  expect((await client.callTool("pay", {})).content).toMatchObject([{ text: "done" }]);
  expect(session).toBe(2);
  await client.close();
});
