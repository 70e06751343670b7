import { connect, type ConnectOptions } from "@toolwire/client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { until } from "../../../../test/eventually.ts";
import { error, httpPeer, result, type HttpAnswer, type HttpCall, type HttpPeer } from "../http-peer.ts";
import { modernServer, SILENCE } from "../scripted-server.ts";

const NEVER = new Promise<HttpAnswer>(() => {});
const DISCOVERY = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "old", version: "1" },
};
const listed = (outputSchema?: object) => ({
  resultType: "complete",
  tools: [{ name: "t", inputSchema: { type: "object" }, ...(outputSchema && { outputSchema }) }],
});

/** All ways to limit the time of a call, each with its outcome. */
const LIMITS = [
  ["timeout", () => ({ timeout: 250 }), { code: "TIMEOUT" }],
  ["maxTimeout", () => ({ maxTimeout: 250 }), { code: "TIMEOUT" }],
  ["signal", () => ({ signal: AbortSignal.timeout(250) }), { name: "TimeoutError" }],
] as const;

async function serve(answer: (call: HttpCall) => HttpAnswer | Promise<HttpAnswer>): Promise<HttpPeer> {
  const peer = await httpPeer(answer);
  onTestFinished(() => peer.close());
  return peer;
}

async function connected({ url }: HttpPeer, options: ConnectOptions = {}) {
  const client = await connect(url, { memory: false, onDiagnostic: () => {}, ...options });
  onTestFinished(() => client.close());
  return client;
}

describe.each(LIMITS)("%s ends a call", (_, options, outcome) => {
  test("while the tools are listed first", async () => {
    const peer = await serve((call) => (call.body?.method === "server/discover" ? result(call, DISCOVERY) : NEVER));
    const client = await connected(peer, { validate: "always" });
    await expect(client.callTool("t", {}, options())).rejects.toMatchObject(outcome);
    expect(peer.methods()).toEqual(["server/discover", "tools/list"]);
  });

  test("while it lists the tools after the server has refused its headers", async () => {
    const peer = await serve((call) => {
      if (call.body?.method === "server/discover") return result(call, DISCOVERY);
      return call.body?.method === "tools/call" ? error(call, 400, -32020) : NEVER;
    });
    const client = await connected(peer);
    await expect(client.callTool("t", {}, options())).rejects.toMatchObject(outcome);
    expect(peer.methods()).toEqual(["server/discover", "tools/call", "tools/list"]);
  });

  test("while it opens a new session after the server has forgotten the old one", async () => {
    let sessions = 0;
    const peer = await serve((call) => {
      if (call.method !== "POST") return { status: 405 };
      if (call.body?.method === "initialize") {
        return ++sessions === 1 ? result(call, INITIALIZED, { "mcp-session-id": "1" }) : NEVER;
      }
      return { status: call.body?.id === undefined ? 202 : 404 };
    });
    const client = await connected(peer, { era: "legacy" });
    await expect(client.callTool("t", {}, options())).rejects.toMatchObject(outcome);
    expect(sessions).toBe(2);
  });
});

describe("a result that does not fit the schema it was listed with", () => {
  async function listedOnce() {
    let lists = 0;
    const peer = await serve((call) => {
      if (call.body?.method === "server/discover") return result(call, DISCOVERY);
      if (call.body?.method === "tools/call") return result(call, { content: [], structuredContent: {} });
      return ++lists === 1 ? result(call, listed({ type: "object", required: ["a"] })) : NEVER;
    });
    const client = await connected(peer);
    await client.listTools();
    return { client, lists: () => lists };
  }

  test("is refused if no other schema comes in time", async () => {
    const { client, lists } = await listedOnce();
    await expect(client.callTool("t", {}, { timeout: 1000 })).rejects.toMatchObject({ code: "INVALID_RESULT" });
    expect(lists()).toBe(2);
  });

  test("is not reported to a caller that has cancelled the call meanwhile", async () => {
    const { client } = await listedOnce();
    const call = client.callTool("t", {}, { signal: AbortSignal.timeout(250) });
    await expect(call).rejects.toMatchObject({ name: "TimeoutError" });
  });
});

describe("a request that the client sends on behalf of a call", () => {
  test("is limited by the time that all calls have, too", async () => {
    const peer = await serve((call) => (call.body?.method === "server/discover" ? result(call, DISCOVERY) : NEVER));
    const client = await connected(peer, { validate: "always", timeout: 50 });
    await expect(client.callTool("t")).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  test("is named when it took all of the time", async () => {
    const peer = await serve((call) => {
      if (call.body?.method === "server/discover") return result(call, DISCOVERY);
      return call.body?.method === "tools/call" ? error(call, 400, -32020) : NEVER;
    });
    const client = await connected(peer);
    await expect(client.callTool("t", {}, { timeout: 50 })).rejects.toThrow(
      "listing the server's tools took all of it",
    );
  });

  test("leaves the rest of the time to the server", async () => {
    const peer = await serve(async (call) => {
      if (call.body?.method === "server/discover") return result(call, DISCOVERY);
      return call.body?.method === "tools/list" ? result(call, listed()) : NEVER;
    });
    const client = await connected(peer, { validate: "always" });
    await expect(client.callTool("t", {}, { timeout: 200 })).rejects.toMatchObject({
      code: "TIMEOUT",
      message: expect.stringContaining("No answer to tools/call in time. If") as string,
    });
    expect(peer.methods()).toEqual(["server/discover", "tools/list", "tools/call"]);
  });
});

test("maxTimeout does not start again with every question, and does not count the time of people", async () => {
  let rounds = 0;
  const peer = await serve((call) => {
    if (call.body?.method === "server/discover") return result(call, DISCOVERY);
    if (++rounds === 1) {
      const params = { mode: "form", message: "Who?", requestedSchema: { type: "object", properties: {} } };
      const who = { method: "elicitation/create", params };
      return result(call, { resultType: "input_required", inputRequests: { who }, requestState: "x" });
    }
    return result(call, { resultType: "complete", content: [] });
  });
  const client = await connected(peer, {
    elicitation: async () => {
      // Longer than the call may take.
      await new Promise((resolve) => AbortSignal.timeout(400).addEventListener("abort", resolve));
      return { action: "accept", content: {} };
    },
  });
  await expect(client.callTool("t", {}, { maxTimeout: 300 })).resolves.toMatchObject({ content: [] });
  expect(rounds).toBe(2);
});

test("the timeout of a call raises the ceiling of all calls for it, also after a question", async () => {
  const params = { mode: "form", message: "Who?", requestedSchema: { type: "object", properties: {} } };
  const asked = { resultType: "input_required", inputRequests: { who: { method: "elicitation/create", params } } };
  let rounds = 0;
  const server = modernServer({
    "tools/call": async () => {
      if (++rounds === 1) return asked;
      // Longer than calls may take that do not say.
      await new Promise((resolve) => AbortSignal.timeout(100).addEventListener("abort", resolve));
      return { content: [] };
    },
  });
  const client = await connect(server.channel, { maxTimeout: 20, elicitation: () => ({ action: "decline" }) });
  await expect(client.callTool("t", {}, { timeout: 10_000 })).resolves.toMatchObject({ content: [] });
  await client.close();
});

/** Takes over the clock, and returns what lets one millisecond pass, and then everything happen that comes of it. */
function holdClock(): () => Promise<void> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  return async () => {
    await vi.advanceTimersByTimeAsync(1);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
}

test("a server that asks nothing, and so wants more time, gets more of it each time but the first", async () => {
  const pauses = async (asked: object): Promise<number[]> => {
    const moments: number[] = [];
    const answer = { resultType: "input_required", requestState: "x", ...asked };
    const server = modernServer({
      "tools/call": () => (moments.push(performance.now()) < 4 ? answer : { content: [] }),
    });
    const client = await connect(server.channel, { roots: [] });
    const over = vi.fn();
    const call = client.callTool("t").finally(over);
    while (over.mock.calls.length === 0) await passMillisecond();
    await call;
    await client.close();
    return moments.slice(1).map((moment, index) => moment - moments[index]!);
  };
  const passMillisecond = holdClock();
  // Whatever takes a turn of the event loop takes a few milliseconds by this clock, and less than any pause.
  expect(Math.max(...(await pauses({ inputRequests: { where: { method: "roots/list" } } })))).toBeLessThan(100);
  const [first, second, third] = await pauses({});
  expect(first).toBeLessThan(100);
  expect(second).toBeGreaterThan(150);
  expect(third).toBeGreaterThan(second! + 100);
});

test("maxTimeout ends a call whose server wants more time again and again, however quickly it says so", async () => {
  const server = modernServer({ "tools/call": { resultType: "input_required", requestState: "x" } });
  const client = await connect(server.channel);
  const passMillisecond = holdClock();
  const failed = vi.fn();
  void client.callTool("t", {}, { maxTimeout: 1 }).catch(failed);
  // Less than the server would get otherwise.
  for (let ms = 0; ms < 100 && failed.mock.calls.length === 0; ms++) await passMillisecond();
  expect(failed).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "TIMEOUT" }));
  await client.close();
});

test("the ceiling that calls have by default is one for all rounds of a call, too", async () => {
  const server = modernServer({
    "tools/call": async (_, request) => {
      if (server.requests("tools/call")[0] !== request) return SILENCE;
      await vi.advanceTimersByTimeAsync(390_000);
      return { resultType: "input_required", requestState: "x" };
    },
  });
  const client = await connect(server.channel, { timeout: 400_000 });
  onTestFinished(() => client.close());
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const call = client.callTool("t");
  const outcome = expect(call).rejects.toMatchObject({
    code: "TIMEOUT",
    message: expect.stringContaining("raise `maxTimeout`") as string,
  });
  await until(() => server.requests("tools/call").length === 2);
  await vi.advanceTimersByTimeAsync(600_000 - 390_000);
  await outcome;
});
