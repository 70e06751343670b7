/** Results of upstreams have the limits that results of APIs have: none of them fills the context of a model. */
import { createServer, image, tool } from "@toolwire/server";
import { expect, test } from "vitest";
import type { UpstreamConfig } from "../../src/config/config.ts";
import { startLocal } from "../local-gateway.ts";
import { overHttp } from "./hosting.ts";

async function limited(run: () => unknown, response?: UpstreamConfig["response"]) {
  const server = createServer({ name: "up", version: "1.0.0", tools: { get: tool({ run: run as never }) } });
  const up = { url: await overHttp(server), ...(response !== undefined && { response }) };
  await using local = await startLocal({ s: { upstreams: { up } } });
  const reply = await local.post("s", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get" } });
  const { result } = (await reply.json()) as { readonly result: Result };
  return { ...result, record: local.records.at(-1)! };
}

interface Result {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

test("a text of more than 80 000 characters is shortened, with a note that says so", async () => {
  const { content, isError, record } = await limited(() => "x".repeat(80_001));
  expect(isError).toBeUndefined();
  expect(content.map(({ text }) => text.length > 1000)).toEqual([true, false]);
  expect(content[0]!.text).toHaveLength(80_000);
  expect(content[1]!.text).toContain("the first 80000 of 80001 characters");
  expect(record).toMatchObject({ outcome: "ok", isTruncated: true, responseBytes: 80_001 });
});

test("a text within the limit is passed on as it is", async () => {
  const { content, record } = await limited(() => "x".repeat(80_000));
  expect(content).toHaveLength(1);
  expect(record.isTruncated).toBe(false);
});

test("of JSON, whole items are left out", async () => {
  const { content } = await limited(() => JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ id }))), {
    maxText: 100,
  });
  expect(JSON.parse(content[0]!.text)).toEqual(Array.from({ length: 10 }, (_, id) => ({ id })));
  expect(content[1]!.text).toContain("the list has the first 10 of 50 items");
});

test("the limit counts all texts together, and those of resources", async () => {
  const blocks = [
    { type: "text", text: "a".repeat(60) },
    { type: "resource", resource: { uri: "docs://a", text: "b".repeat(60) } },
    { type: "text", text: "c".repeat(60) },
  ];
  const { content } = await limited(() => ({ content: blocks }), { maxText: 100 });
  const texts = content.map((block) => block.text ?? (block as never as { resource: { text: string } }).resource.text);
  expect(texts.filter((text) => /^[abc]*$/.test(text)).map((text) => text.length)).toEqual([60, 40, 0]);
});

test("a result of more than 1 MiB is an error for the model", async () => {
  const { content, isError, record } = await limited(() => image(new Uint8Array(1024 * 1024), "image/png"));
  expect(isError).toBe(true);
  expect(content[0]!.text).toMatch(/^Error: The result of the upstream has \d+ bytes, and 1048576 are the most/);
  expect(record.outcome).toBe("tool-error");
});

test("structured content counts, but not twice if the text repeats it", async () => {
  const data = { list: ["x".repeat(600)] };
  const mirror = { content: [{ type: "text", text: JSON.stringify(data) }], structuredContent: data };
  await expect(limited(() => mirror, { maxBytes: 1000 })).resolves.toMatchObject({ structuredContent: data });
  const other = { content: [{ type: "text", text: "y".repeat(600) }], structuredContent: data };
  await expect(limited(() => other, { maxBytes: 1000 })).resolves.toMatchObject({ isError: true });
});
