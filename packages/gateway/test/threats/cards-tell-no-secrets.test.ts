/** Cards and catalogs are public: whatever a configuration holds, no credential and no private address gets into them. */
import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { expect, onTestFinished, test } from "vitest";
import { getTool, startLocal } from "../local-gateway.ts";
import { simulateApi } from "../simulated-api.ts";

const SECRETS = ["s3cret-bearer-0123456789", "s3cret-header-0123456789", "s3cret-state-key-0123456789-0123456789-abc"];

test("neither secrets nor the addresses of APIs and upstreams reach a card or the catalog", async () => {
  const api = await simulateApi(() => ({}));
  onTestFinished(() => api[Symbol.asyncDispose]());
  const upstream = await serveHttp(
    createServer({
      name: "internal-upstream",
      title: "Internal title",
      version: "9.9.9",
      description: "Internal description",
      instructions: "Internal instructions",
      tools: { internal_tool: tool({ run: () => "" }) },
    }),
    { port: 0 },
  );
  onTestFinished(() => upstream.close());
  const local = await startLocal(
    {
      shop: {
        description: "A shop.",
        auth: "none",
        tools: { internal_get: getTool(`${api.url}/internal`) },
        credentials: { main: { bearer: SECRETS[0]! } },
        upstreams: { backend: { url: upstream.url, headers: { "x-key": SECRETS[1]! } } },
        network: { allow: ["127.0.0.1", "10.7.7.0/24"] },
        access: [{ principals: ["internal-principal"], tools: ["*"], allow: true }],
      },
      locked: { auth: { apiKeys: true }, card: true, tools: { internal_get: getTool(`${api.url}/internal`) } },
    },
    {
      config: {
        listen: { publicUrl: "https://mcp.example.com" },
        serverCards: { namespace: "com.example" },
        stateKey: SECRETS[2]!,
      },
    },
  );
  onTestFinished(() => local[Symbol.asyncDispose]());
  expect(await local.list("shop")).toEqual([]);
  const key = await local.key();
  const paths = ["/mcp/shop/server-card", "/mcp/locked/server-card", "/.well-known/ai-catalog.json"];
  for (const path of paths) {
    const response = await fetch(local.gateway.url + path, { headers: key });
    const seen = JSON.stringify([...response.headers]) + (await response.text());
    expect(response.status).toBe(200);
    const hidden = [
      ...SECRETS,
      key["authorization"]!.slice(7),
      "127.0.0.1",
      "10.7.7",
      "localhost",
      api.url,
      upstream.url,
    ];
    for (const text of [...hidden, "nternal", "9.9.9", "s3cret"]) expect(seen).not.toContain(text);
  }
});

test("a server whose texts hold a secret has no card, and its operator is told", async () => {
  const local = await startLocal(
    {
      leaky: {
        description: `Call it with ${SECRETS[0]}.`,
        tools: {},
        credentials: { main: { bearer: SECRETS[0]! } },
      },
    },
    { config: { listen: { publicUrl: "https://mcp.example.com" }, serverCards: { namespace: "com.example" } } },
  );
  onTestFinished(() => local[Symbol.asyncDispose]());
  for (const path of ["/mcp/leaky/server-card", "/.well-known/ai-catalog.json"]) {
    expect((await fetch(local.gateway.url + path)).status).toBe(404);
  }
  expect(local.gateway.server("leaky")?.problems.join()).toContain("a card is public");
});
