import { connect } from "@toolwire/client";
import { expect, test } from "vitest";
import { compileAccess } from "../../src/servers/access-rules.ts";
import { createLimits } from "../../src/servers/call-limits.ts";
import { defer } from "../deferred.ts";
import { getTool, startLocal } from "../local-gateway.ts";
import { simulateApi } from "../simulated-api.ts";

test("calls of one caller are limited by the minute, and refill evenly", () => {
  const limits = createLimits("this server", { perMinute: 2 });
  expect(limits.take("ada", 0)).toBeUndefined();
  expect(limits.take("ada", 0)).toBeUndefined();
  expect(limits.take("ada", 0)).toContain("Rate limit of 2 calls a minute for this server reached. Try again in 30 s.");
  expect(limits.take("bob", 0)).toBeUndefined();
  expect(limits.take("ada", 29_999)).toContain("1 s");
  expect(limits.take("ada", 30_000)).toBeUndefined();
});

test("calls in flight are limited for all callers together", () => {
  const limits = createLimits("this server", { concurrent: 1 });
  expect(limits.take("ada", 0)).toBeUndefined();
  expect(limits.take("bob", 0)).toContain("1 calls are running");
  limits.release();
  expect(limits.take("bob", 0)).toBeUndefined();
});

test("callers beyond the number that is remembered cannot make the memory grow", () => {
  const limits = createLimits("this server", { perMinute: 1 });
  for (let caller = 0; caller < 20_000; caller++) expect(limits.take(`caller ${caller}`, 0)).toBeUndefined();
  expect(limits.take("caller 19999", 0)).toBeDefined();
});

test("a caller who has called of late is remembered, however many others have come before and after", () => {
  const limits = createLimits("this server", { perMinute: 1 });
  expect(limits.take("ada", 0)).toBeUndefined();
  for (let caller = 0; caller < 50_000; caller++) {
    limits.take(`caller ${caller}`, 0);
    if (caller % 9000 === 0) expect(limits.take("ada", 0)).toContain("Rate limit");
  }
});

test("a call beyond the limit is a result with status 200, and the API is not called", async () => {
  await using api = await simulateApi(() => ({}));
  await using local = await startLocal({ s: { limits: { perMinute: 1 }, tools: { get: getTool(`${api.url}/x`) } } });
  expect(await local.call("s", "get")).toMatchObject({ status: 200, text: "{}" });
  const refused = await local.call("s", "get");
  expect(refused).toMatchObject({ status: 200, isError: true });
  expect(refused.text).toMatch(/^Error: Rate limit of 1 calls a minute for this server reached/);
  expect(api.requests).toHaveLength(1);
  expect(local.records.map(({ outcome }) => outcome)).toEqual(["ok", "rate-limited"]);
});

test("calls of unknown tools count as well, so that nobody can guess names without an end", async () => {
  await using local = await startLocal({
    s: { limits: { perMinute: 1 }, tools: { get: getTool("http://127.0.0.1:9/x") } },
  });
  expect((await local.call("s", "guess")).error?.code).toBe(-32602);
  expect((await local.call("s", "guess")).isError).toBe(true);
});

test("each caller with a key has limits of their own, and a place in flight is given back after a failure", async () => {
  await using api = await simulateApi(() => ({ status: 500 }));
  const tools = { get: getTool(`${api.url}/x`, { limits: { retries: 0, concurrent: 1 } }) };
  await using local = await startLocal({ s: { auth: { apiKeys: true }, limits: { perMinute: 2 }, tools } });
  const [ada, bob] = [await local.key(), await local.key()];
  for (const key of [ada, bob, ada, bob]) {
    expect((await local.call("s", "get", {}, key)).text).toContain("returned 500");
  }
  expect((await local.call("s", "get", {}, ada)).text).toContain("Rate limit");
});

test("a tool that is busy says so while its calls are in flight", async () => {
  const reached = defer();
  const answer = defer();
  await using api = await simulateApi(() => (_, response) => {
    reached.resolve();
    void answer.promise.then(() => response.end("{}"));
  });
  const tools = { get: getTool(`${api.url}/x`, { limits: { concurrent: 1 } }) };
  await using local = await startLocal({ s: { tools } });
  const first = local.call("s", "get");
  await reached.promise;
  expect((await local.call("s", "get")).text).toContain("is busy: 1 calls are running");
  answer.resolve();
  expect((await first).text).toBe("{}");
});

test("the first rule that fits decides, and what is listed as allowed is all that is", () => {
  const everything = compileAccess();
  expect(everything(undefined, "any")).toBe(true);
  const denials = compileAccess([{ tools: ["delete_*"], allow: false }]);
  expect([denials({ id: "ada" }, "delete_all"), denials({ id: "ada" }, "get")]).toEqual([false, true]);
  const allowed = compileAccess([
    { principals: ["ada"], tools: ["*"], allow: true },
    { principals: ["team-*"], tools: ["get_*"], allow: true },
  ]);
  expect([
    allowed({ id: "ada" }, "x"),
    allowed({ id: "team-1" }, "get_x"),
    allowed({ id: "team-1" }, "put_x"),
    allowed({ id: "eve" }, "get_x"),
  ]).toEqual([true, true, false, false]);
  expect(allowed(undefined, "get_x")).toBe(false);
});

test("lists-and-calls-agree: what a caller may not use is in no list, and a call gets the error of an unknown tool", async () => {
  await using api = await simulateApi(() => ({}));
  const tools = {
    get: getTool(`${api.url}/get`),
    put: getTool(`${api.url}/put`),
    draft: getTool(`${api.url}/draft`, { status: "draft" }),
  };
  const access = [
    { principals: ["ada"], tools: ["*"], allow: true },
    { tools: ["get"], allow: true },
  ];
  await using local = await startLocal({ s: { auth: { apiKeys: true }, access, tools } });
  const ada = await local.key({ principal: "ada" });
  const bob = await local.key({ principal: "bob" });
  expect(await local.list("s", ada)).toEqual(["get", "put"]);
  expect(await local.list("s", bob)).toEqual(["get"]);
  const all = ["get", "put", "draft", "absent"];
  for (const [key, listed] of [
    [ada, ["get", "put"]],
    [bob, ["get"]],
  ] as const) {
    for (const tool of all) {
      const answer = await local.call("s", tool, {}, key);
      if (listed.includes(tool as never)) expect(answer.text).toBe("{}");
      else expect(answer.error).toEqual({ code: -32602, message: `Unknown tool: ${tool}` });
    }
  }
  // A modern client sees the same.
  await using client = await connect(`${local.gateway.url}/mcp/s`, { http: { headers: bob } });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["get"]);
});

test("a server whose unknown tools are results answers forbidden ones in the same way", async () => {
  await using api = await simulateApi(() => ({}));
  const tools = { get: getTool(`${api.url}/x`) };
  const access = [{ tools: ["get"], allow: false }];
  await using local = await startLocal({ s: { unknownTool: "result", access, tools } });
  expect(await local.call("s", "get")).toMatchObject({ isError: true, text: "Unknown tool: get" });
  expect(await local.call("s", "absent")).toMatchObject({ isError: true, text: "Unknown tool: absent" });
  expect(local.records.map(({ outcome }) => outcome)).toEqual(["denied", "unknown-tool"]);
});

test("search mode lists three tools, and calls the one that is meant under its own name", async () => {
  await using api = await simulateApi(() => ({ body: '{"paid":true}' }));
  const input = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
  const tools = {
    get_invoice: getTool(`${api.url}/invoices/{id}`, { description: "Gets an invoice", input }),
    delete_invoice: getTool(`${api.url}/d`, { description: "Deletes an invoice" }),
    limited: getTool(`${api.url}/l`, { description: "Something else", limits: { perMinute: 1 } }),
    draft: getTool(`${api.url}/x`, { status: "draft", description: "An invoice that is a draft" }),
  };
  const access = [{ tools: ["delete_*"], allow: false }];
  await using local = await startLocal({ s: { mode: "search", access, tools } });
  expect(await local.list("s")).toEqual(["search_tools", "describe_tool", "call_tool"]);
  const found = await local.call("s", "search_tools", { query: "invoice" });
  expect(JSON.parse(found.text ?? "")).toEqual([
    { name: "get_invoice", description: "Gets an invoice", arguments: "{ id: string }" },
  ]);
  const described = await local.call("s", "describe_tool", { name: "get_invoice" });
  expect(JSON.parse(described.text ?? "")).toMatchObject({ inputSchema: { required: ["id"] } });
  const call = (name: string, args: object = {}) => local.call("s", "call_tool", { name, arguments: args });
  expect((await call("get_invoice", { id: "7" })).text).toBe('{"paid":true}');
  expect((await call("get_invoice")).text).toContain("id: missing required field");
  expect(await call("delete_invoice")).toMatchObject({ isError: true, text: "Unknown tool: delete_invoice" });
  expect(await call("draft")).toMatchObject({ isError: true, text: "Unknown tool: draft" });
  expect(await call("absent")).toMatchObject({ isError: true, text: "Unknown tool: absent" });
  await call("limited");
  expect((await call("limited")).text).toContain("Rate limit of 1 calls a minute");
  expect((await local.call("s", "call_tool", { name: 5 })).text).toContain("name: expected string");
  expect(local.records.slice(2).map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual([
    "get_invoice ok",
    "get_invoice invalid-arguments",
    "delete_invoice denied",
    "draft unknown-tool",
    "absent unknown-tool",
    "limited ok",
    "limited rate-limited",
    "call_tool tool-error",
  ]);
  expect(api.requests.map(({ target }) => target)).toEqual(["/invoices/7", "/l"]);
});

test("Metrics name the tool that was throttled, denied or overloaded, and count names that callers invent together", async () => {
  await using api = await simulateApi(() => ({}));
  const get = getTool(`${api.url}/x`);
  await using local = await startLocal({
    throttled: { limits: { perMinute: 1 }, tools: { get } },
    slow: { tools: { once: { ...get, limits: { perMinute: 1 } } } },
    guarded: { access: [{ principals: ["ada"], tools: ["*"], allow: true }], auth: { apiKeys: true }, tools: { get } },
    searched: { limits: { perMinute: 1 }, mode: "search", tools: { get } },
  });
  for (let call = 0; call < 3; call += 1) await local.call("throttled", "get");
  await local.call("throttled", "invented");
  for (let call = 0; call < 2; call += 1) await local.call("slow", "once");
  await local.call("guarded", "get", {}, await local.key({ principal: "bob" }));
  for (let call = 0; call < 2; call += 1) await local.call("searched", "call_tool", { name: "get", arguments: {} });
  const counted = local.gateway
    .metrics()
    .split("\n")
    .filter((line) => line.startsWith("toolwire_gateway_calls_total{"))
    .map((line) => line.slice("toolwire_gateway_calls_total".length));
  expect(counted).toEqual([
    '{server="throttled",tool="get",outcome="ok"} 1',
    '{server="throttled",tool="get",outcome="rate-limited"} 2',
    '{server="throttled",tool="other",outcome="rate-limited"} 1',
    '{server="slow",tool="once",outcome="ok"} 1',
    '{server="slow",tool="once",outcome="rate-limited"} 1',
    '{server="guarded",tool="get",outcome="denied"} 1',
    '{server="searched",tool="get",outcome="ok"} 1',
    '{server="searched",tool="get",outcome="rate-limited"} 1',
  ]);
});
