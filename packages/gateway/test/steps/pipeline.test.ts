import { connect } from "@toolwire/client";
import { expect, test } from "vitest";
import { defer } from "../deferred.ts";
import { getTool, startLocal } from "../local-gateway.ts";
import { simulateApi } from "../simulated-api.ts";

const CITY = { input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } } as const;

test("a call makes one record with the time of each step, before its answer is read", async () => {
  await using api = await simulateApi(() => ({ body: '{"ok":true}' }));
  await using local = await startLocal({ s: { tools: { get: getTool(`${api.url}/{city}`, CITY) } } });
  const answer = await local.call("s", "get", { city: "London" }, { "user-agent": "test/1" });
  expect(answer).toEqual({ status: 200, text: '{"ok":true}' });
  expect(local.records).toHaveLength(1);
  const [record] = local.records;
  expect(record).toMatchObject({
    server: "s",
    tool: "get",
    source: "http",
    outcome: "ok",
    httpStatus: 200,
    attempts: 1,
    requestBytes: '{"city":"London"}'.length,
    responseBytes: '{"ok":true}'.length,
    isTruncated: false,
    userAgent: "test/1",
    node: local.gateway.node,
  });
  expect(Object.keys(record?.steps ?? {})).toEqual(["validate", "resolve", "authorize", "call", "transform"]);
  const sum = Object.values(record?.steps ?? {}).reduce((total, each) => total + each, 0);
  expect(sum).toBeLessThanOrEqual(record?.durationMs ?? 0);
  expect(record?.firstByteMs).toBeGreaterThan(0);
});

test("every way in which a call can end makes exactly one record with its own outcome", async () => {
  await using api = await simulateApi(({ target }) => {
    if (target === "/slow") return () => undefined;
    return target === "/fail" ? { status: 500, body: '{"message":"broken"}' } : {};
  });
  await using local = await startLocal({
    s: {
      access: [{ tools: ["forbidden"], allow: false }],
      tools: {
        get: getTool(`${api.url}/{city}`, CITY),
        fail: getTool(`${api.url}/fail`, { limits: { retries: 0 } }),
        slow: getTool(`${api.url}/slow`, { limits: { timeout: "50ms", retries: 0 } }),
        draft: getTool(`${api.url}/draft`, { status: "draft" }),
        forbidden: getTool(`${api.url}/forbidden`),
        once: getTool(`${api.url}/once`, { limits: { perMinute: 1 } }),
      },
    },
    nothing: {},
  });
  await local.call("s", "get", { city: "x" });
  await local.call("s", "fail");
  await local.call("s", "slow");
  await local.call("s", "get", { city: 1 });
  await local.call("s", "get", { city: ".." });
  await local.call("s", "absent");
  await local.call("s", "draft");
  await local.call("s", "forbidden");
  await local.call("s", "once");
  await local.call("s", "once");
  await local.call("nothing", "any");
  await local.post("s", { jsonrpc: "2.0", id: 1, method: "tools/call", params: {} });
  await local.post("s", { jsonrpc: "2.0", id: 1, method: "tools/call" });
  await local.post("s", { jsonrpc: "2.0", id: 1, method: "tools/list" });
  expect(local.records.map(({ tool, outcome, rpcCode }) => [tool, outcome, rpcCode])).toEqual([
    ["get", "ok", undefined],
    ["fail", "tool-error", undefined],
    ["slow", "timed-out", undefined],
    ["get", "invalid-arguments", undefined],
    ["get", "tool-error", undefined],
    ["absent", "unknown-tool", -32602],
    ["draft", "unknown-tool", -32602],
    ["forbidden", "denied", -32602],
    ["once", "ok", undefined],
    ["once", "rate-limited", undefined],
    ["any", "unknown-tool", -32601],
    ["", "unknown-tool", -32602],
    ["", "unknown-tool", -32602],
  ]);
  const slow = local.records.find(({ tool }) => tool === "slow");
  expect(slow?.error).toBe("Error: Upstream API did not answer within 50 ms");
  expect(Object.keys(slow?.steps ?? {})).toEqual(["validate", "resolve", "authorize", "call"]);
  const unsent = local.records[4];
  expect(Object.keys(unsent?.steps ?? {})).toEqual(["validate", "resolve"]);
  expect(local.records[3]?.error).toContain("city");
});

test("cancellation-reaches-the-api: a client that leaves ends the request, and one record says so", async () => {
  const reached = defer();
  const closed = defer();
  await using api = await simulateApi(() => (_, response) => {
    response.on("close", () => closed.resolve());
    reached.resolve();
  });
  await using local = await startLocal({ s: { tools: { wait: getTool(`${api.url}/wait`) } } });
  const recorded = defer();
  local.gateway.storage.calls.follow(() => recorded.resolve());
  await using client = await connect(`${local.gateway.url}/mcp/s`);
  const abort = new AbortController();
  const call = client.callTool("wait", {}, { signal: abort.signal });
  await reached.promise;
  abort.abort();
  await expect(call).rejects.toThrow(/abort/i);
  await closed.promise;
  await recorded.promise;
  expect(local.records.map(({ outcome }) => outcome)).toEqual(["cancelled"]);
});

test("a result keeps the text of the API byte for byte, with numbers that JavaScript cannot hold", async () => {
  const body = '{ "id": 12345678901234567890, "a":1.0, "a":2 }';
  await using api = await simulateApi(() => ({ body }));
  await using local = await startLocal({ s: { tools: { get: getTool(`${api.url}/x`) } } });
  expect((await local.call("s", "get")).text).toBe(body);
});

test("captured calls have their arguments and their response, others have neither", async () => {
  await using api = await simulateApi(() => ({ body: '{"answer":42}' }));
  await using local = await startLocal({
    on: { capture: true, tools: { get: getTool(`${api.url}/{city}`, CITY) } },
    off: { tools: { get: getTool(`${api.url}/{city}`, CITY) } },
  });
  await local.call("on", "get", { city: "London" });
  await local.call("off", "get", { city: "London" });
  expect(local.records[0]?.capture).toEqual({ arguments: '{"city":"London"}', response: '{"answer":42}' });
  expect(local.records[1]?.capture).toBeUndefined();
});

test("the trace of the caller is in the record, from the header or from the message", async () => {
  await using api = await simulateApi(() => ({}));
  await using local = await startLocal({ s: { tools: { get: getTool(`${api.url}/x`) } } });
  const trace = "0af7651916cd43dd8448eb211c80319c";
  await local.call("s", "get", {}, { traceparent: `00-${trace}-b7ad6b7169203331-01` });
  await local.call("s", "get", {}, { traceparent: "nonsense" });
  expect(local.records.map(({ traceId }) => traceId)).toEqual([trace, undefined]);
});

test("arguments that are JSON in a text are repaired before they are checked", async () => {
  await using api = await simulateApi(() => ({}));
  const input = { type: "object", properties: { tags: { type: "array", items: { type: "string" } } } };
  await using local = await startLocal({ s: { tools: { get: getTool(`${api.url}/x`, { input }) } } });
  expect((await local.call("s", "get", { tags: '["a","b"]' })).isError).toBeUndefined();
  expect(api.requests[0]?.target).toBe("/x?tags=a&tags=b");
});

test("a log that fails does not fail the call", async () => {
  await using api = await simulateApi(() => ({ body: "{}" }));
  await using local = await startLocal({ s: { tools: { get: getTool(`${api.url}/x`) } } });
  local.gateway.storage.calls.follow(() => {
    throw new Error("The follower is broken.");
  });
  expect((await local.call("s", "get")).text).toBe("{}");
});
