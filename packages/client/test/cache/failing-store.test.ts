import { connect, createResultCache, type Diagnostic, type ResultCache } from "@toolwire/client";
import { expect, onTestFinished, test } from "vitest";
import { listen, sendJson } from "../http/listen.ts";
import { scriptedProcess } from "../stdio/scripted-process.ts";

/** A cache of an application that fails whenever it is to forget something. */
function failingStore(): ResultCache {
  return {
    ...createResultCache(),
    drop() {
      throw new Error("cache is down");
    },
  };
}

const REPORT = { level: "error", message: expect.stringContaining("cache is down") as string };

test("a cache that fails when a connection was lost is reported, and one connection takes its place", async () => {
  const events: Diagnostic[] = [];
  const { command, args } = scriptedProcess(`({ method, params }) => {
    if (method === "server/discover") return { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
    if (params.name === "exit") process.exit();
    return { content: [{ type: "text", text: String(process.pid) }] };
  }`);
  const target = { command, args: args ?? [], stderr: "ignore" } as const;
  const client = await connect(target, {
    cache: { store: failingStore() },
    reconnect: { delay: 1 },
    onDiagnostic: (event) => events.push(event),
  });
  onTestFinished(() => client.close());
  await expect(client.callTool("exit")).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  const first = await client.callTool("pid");
  expect(events).toMatchObject([{ level: "info", message: expect.stringContaining("Connecting again") }, REPORT]);
  await expect(client.callTool("pid")).resolves.toEqual(first);
});

test("a cache that fails when a session was renewed is reported, and calls go on in the new one", async () => {
  const events: Diagnostic[] = [];
  let sessions = 0;
  const { url } = await listen(({ method, headers, message }, response) => {
    const answer = (result: object, more = {}): void =>
      sendJson(response, { jsonrpc: "2.0", id: message?.id, result }, 200, more);
    if (message?.method === "initialize") {
      const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} } };
      answer(result, { "mcp-session-id": `s${++sessions}` });
    } else if (message?.id === undefined) response.writeHead(method === "GET" ? 405 : 202).end();
    else if (headers["mcp-session-id"] === "s1") response.writeHead(404).end();
    else answer({ content: [] });
  });
  const client = await connect(url, {
    era: "legacy",
    memory: false,
    cache: { store: failingStore() },
    onDiagnostic: (event) => events.push(event),
  });
  onTestFinished(() => client.close());
  await expect(client.callTool("t")).resolves.toEqual({ content: [] });
  await expect(client.callTool("t")).resolves.toEqual({ content: [] });
  expect(sessions).toBe(2);
  expect(events).toMatchObject([REPORT]);
});
