/** `schemas: portable`: callers see schemas that all models' APIs take, and arguments are checked against the originals. */
import { connect, type Tool } from "@toolwire/client";
import { lintTools, schemaRules } from "@toolwire/lint";
import { createServer, jsonSchema, tool } from "@toolwire/server";
import { expect, onTestFinished, test } from "vitest";
import type { ServerConfig } from "../../src/config/config.ts";
import { getTool, startLocal, type LocalGateway } from "../local-gateway.ts";
import { simulateApi } from "../simulated-api.ts";
import { overHttp } from "../upstreams/hosting.ts";

/** An input that each of the three big APIs refuses for another reason. */
const INPUT = {
  type: "object",
  properties: {
    "filter[id]": { type: ["string", "null"], format: "uuid" },
    since: { $ref: "#/$defs/Since" },
    kind: { const: "all" },
  },
  anyOf: [{ required: ["filter[id]"] }, { required: ["since"] }],
  $defs: { Since: { type: "integer", exclusiveMinimum: 0 } },
} as const;

const ID = "0b9d4c3e-5a43-4ad8-9d3c-1d0a53a2a1f1";

async function listed({ gateway }: LocalGateway, slug = "s"): Promise<readonly Tool[]> {
  const client = await connect(`${gateway.url}/mcp/${slug}`);
  onTestFinished(() => client.close());
  return (await client.listTools()).tools;
}

async function withApi(more: Partial<ServerConfig> = {}) {
  const api = await simulateApi(() => ({ body: "{}" }));
  onTestFinished(() => api[Symbol.asyncDispose]());
  const tools = { search: getTool(`${api.url}/search`, { input: INPUT }) };
  const local = await startLocal({ s: { schemas: "portable", tools, ...more } });
  onTestFinished(() => local[Symbol.asyncDispose]());
  return { api, local };
}

test("callers see an input that no API refuses", async () => {
  const { local } = await withApi();
  const [search] = await listed(local);
  expect(search!.inputSchema).toEqual({
    type: "object",
    properties: {
      filter_id_: { type: "string", description: "(format: uuid)" },
      since: { type: "integer", description: "(more than 0)" },
      kind: { type: "string", enum: ["all"] },
    },
  });
  expect(lintTools([search!], { rules: schemaRules })).toEqual([]);
});

test("without `schemas: portable`, callers see the original", async () => {
  const { local } = await withApi({ schemas: "original" });
  const [search] = await listed(local);
  expect(search!.inputSchema).toEqual(INPUT);
});

test("arguments get their names back before they are checked and sent", async () => {
  const { api, local } = await withApi();
  const answer = await local.call("s", "search", { filter_id_: ID, kind: "all" });
  expect(answer).toMatchObject({ isError: undefined });
  expect(api.requests.at(-1)!.target).toBe(`/search?filter%5Bid%5D=${ID}&kind=all`);
  expect(local.records.at(-1)).toMatchObject({ outcome: "ok" });
});

test.each([
  ["a union at the root that the rewritten schema does not have", { kind: "all" }],
  ["a limit that is only said", { since: 0 }],
  ["a constant", { since: 1, kind: "some" }],
])("arguments are checked against the original: %s", async (_, args) => {
  const { api, local } = await withApi();
  const answer = await local.call("s", "search", args);
  expect(answer.isError).toBe(true);
  expect(api.requests).toEqual([]);
});

test("a caller that uses the names of the original is understood as well", async () => {
  const { api, local } = await withApi();
  await local.call("s", "search", { "filter[id]": ID });
  expect(api.requests.at(-1)!.target).toBe(`/search?filter%5Bid%5D=${ID}`);
});

test("tools of upstreams are rewritten, and the upstream gets the arguments that it knows", async () => {
  const seen: unknown[] = [];
  const upstream = createServer({
    name: "up",
    version: "1.0.0",
    tools: {
      search: tool({ description: "Searches", input: jsonSchema(INPUT), run: (args) => String(seen.push(args)) }),
      plain: tool({ description: "Plain", input: jsonSchema({ type: "object", properties: {} }), run: () => "" }),
    },
  });
  const url = await overHttp(upstream);
  await using local = await startLocal({ s: { schemas: "portable", upstreams: { up: { url } } } });
  const [search] = await listed(local);
  expect(Object.keys(search!.inputSchema["properties"] as object)).toEqual(["filter_id_", "since", "kind"]);
  await expect(local.call("s", "search", { filter_id_: ID })).resolves.toMatchObject({ text: "1" });
  expect(seen).toEqual([{ "filter[id]": ID }]);
  await expect(local.call("s", "search", {})).resolves.toMatchObject({ isError: true });
  expect(seen).toHaveLength(1);
});

test("the operator is told which tools were rewritten, and the admin API says what has changed", async () => {
  const { local } = await withApi();
  await Promise.resolve();
  const told = local.events.filter(({ message }) => message.includes("schemas: portable"));
  expect(told).toMatchObject([
    { level: "info", server: "s", message: expect.stringMatching(/1 tool, .*: search \(\d+\)$/) as string },
  ]);
  const [info] = local.gateway.server("s")!.tools;
  expect(info!.rewritten).toContain('properties.filter[id]: the argument is called "filter_id_"');
  expect(info!.rewritten.join()).toContain("properties.since");
});

test("a search shows the rewritten input, and `call_tool` takes it", async () => {
  const { api, local } = await withApi({ mode: "search" });
  const described = await local.call("s", "describe_tool", { name: "search" });
  expect(described.text).toContain("filter_id_");
  expect(described.text).not.toContain("filter[id]");
  await local.call("s", "call_tool", { name: "search", arguments: { filter_id_: ID } });
  expect(api.requests.at(-1)!.target).toBe(`/search?filter%5Bid%5D=${ID}`);
});
