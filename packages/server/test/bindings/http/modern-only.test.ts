import { describe, expect, test } from "vitest";
import { createServer, tool } from "../../../src/index.ts";
import { BOTH, initialize, modern, post, readJson } from "./client.ts";
import { PLATFORMS, type Target } from "./platforms.ts";

describe.each(PLATFORMS)("an endpoint with `legacy: false` on $name", ({ start }) => {
  const server = createServer({ name: "s", version: "1", tools: { greet: tool({ run: () => "Hello" }) } });
  const serve = (): Promise<Target> => start(server, { legacy: false });

  test("serves modern requests", async () => {
    const target = await serve();
    const answer = await readJson(await target.send(modern("tools/call", { name: "greet" })));
    expect(answer.result).toMatchObject({ content: [{ type: "text", text: "Hello" }], resultType: "complete" });
  });

  test("refuses a handshake, and names the versions that it serves", async () => {
    const target = await serve();
    const response = await target.send(post(initialize("2025-11-25")));
    expect(response.status).toBe(400);
    await expect(response.json()).resolves.toMatchObject({
      error: { code: -32022, data: { supported: ["2026-07-28"], requested: "2025-11-25" } },
    });
  });

  test("refuses legacy requests by the header that they lack, or by the version in it", async () => {
    const target = await serve();
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const codes = [];
    for (const headers of [{}, { "mcp-protocol-version": "2025-11-25" }]) {
      const response = await target.send(post(list, headers));
      expect(response.status).toBe(400);
      codes.push((await readJson(response)).error?.code);
    }
    expect(codes).toEqual([-32020, -32022]);
  });

  test("has no streams, sessions and batches, and accepts notifications", async () => {
    const target = await serve();
    const headers = { accept: BOTH, "mcp-session-id": "none" };
    const requests: (RequestInit & { path?: string })[] = [
      { method: "GET", headers },
      { method: "DELETE", headers },
      post([{ jsonrpc: "2.0", id: 1, method: "tools/list" }]),
      post({ jsonrpc: "2.0", id: 1, result: {} }, { "mcp-session-id": "none" }),
      post({ jsonrpc: "2.0", method: "notifications/cancelled" }, { "mcp-session-id": "none" }),
      { method: "GET", headers, path: "/sse" },
    ];
    const statuses = [];
    for (const request of requests) statuses.push((await target.send(request)).status);
    expect(statuses).toEqual([405, 405, 400, 400, 202, 404]);
  });
});
