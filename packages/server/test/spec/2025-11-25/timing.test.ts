/** basic/lifecycle (who may send what when, timeouts) and basic/utilities/cancellation of 2025-11-25. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { until } from "../../../../../test/eventually.ts";
import {
  createServer,
  timeLimit,
  tool,
  type Context,
  type ServerDiagnostic,
  type ServerMiddleware,
  type Server,
} from "../../../src/index.ts";
import { defer, LegacyClient, WireClient, type Json } from "../../wire-client.ts";

const clientInfo = { name: "c", version: "1" };
const capabilities = { roots: {} };

const asks = async (_args: unknown, ctx: Context): Promise<string> =>
  (await ctx.roots()).map(({ uri }) => uri).join() || "none";

function make(options: { inputTimeout?: number; onDiagnostic?: (event: ServerDiagnostic) => void } = {}): Server {
  return createServer({
    name: "timing",
    version: "1",
    onDiagnostic: () => {},
    ...options,
    tools: {
      asks: tool({ run: asks }),
      asks_briefly: tool({ middleware: [timeLimit({ timeout: 20 })], run: asks }),
    },
  });
}

const questions = (client: WireClient): Json[] =>
  client.received.filter((message) => "method" in message && "id" in message);

/** Opens a connection whose handshake lacks its last step. */
async function open(server: Server): Promise<WireClient> {
  const client = new WireClient(server, "2025-11-25");
  await client.request("initialize", { protocolVersion: "2025-11-25", clientInfo, capabilities });
  return client;
}

describe("before the client is initialized", () => {
  test("the server SHOULD NOT send requests: a question waits until it is", async () => {
    const server = make();
    const answer = (): object => ({ roots: [{ uri: "file:///a" }] });
    // Asking is loaded with the first question, which is late enough to hide one that is sent too early.
    await (await LegacyClient.open(server, { capabilities, answer })).callTool("asks");
    const client = await open(server);
    client.answer = answer;
    const { response } = client.start("tools/call", { name: "asks" });
    for (let n = 0; n < 5; n += 1) await client.request("ping");
    expect(questions(client)).toStrictEqual([]);
    client.notify("notifications/initialized");
    expect(await response).toMatchObject({ content: [{ text: "file:///a" }] });
  });

  test("a question to a client that never is gets no answer", async () => {
    const client = await open(make({ inputTimeout: 20 }));
    expect(await client.request("tools/call", { name: "asks" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("notifications/initialized") }],
    });
    expect(questions(client)).toStrictEqual([]);
  });

  test("a question that waits is given up with its request, and with the connection", async () => {
    const client = await open(make());
    const { id } = client.start("tools/call", { name: "asks" });
    client.start("tools/call", { name: "asks" });
    client.notify("notifications/cancelled", { requestId: id });
    client.notify("notifications/initialized");
    await client.until(() => questions(client).length === 1);
    await client.disconnect();
    expect(questions(client)).toHaveLength(1);
  });

  test("nothing is left of a question that was given up while it waited", async () => {
    const seen: WeakRef<Context>[] = [];
    const run = (args: unknown, ctx: Context): Promise<string> => {
      seen.push(new WeakRef(ctx));
      return asks(args, ctx);
    };
    const client = await open(
      createServer({ name: "t", version: "1", onDiagnostic() {}, tools: { asks: tool({ run }) } }),
    );
    const { id } = client.start("tools/call", { name: "asks" });
    await until(() => seen.length === 1);
    await client.request("ping");
    client.notify("notifications/cancelled", { requestId: id });
    await client.request("ping");
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const find = (): Context | undefined => {
      collect();
      return seen[0]?.deref();
    };
    await expect.poll(find).toBeUndefined();
  });
});

describe("timeouts", () => {
  const silent = (): Promise<object> => new Promise(() => {});

  test.each([
    ["no result", (id: string) => `{"jsonrpc":"2.0","id":${id},"result":null}`, "`result` must be an object"],
    ["in a batch", (id: string) => `[{"jsonrpc":"2.0","id":${id},"result":{"roots":[]}}]`, "Batches are part of"],
  ])("a malformed answer fails the question at once, and is no fault of the server: %s", async (_, write, why) => {
    const events: ServerDiagnostic[] = [];
    const server = make({ onDiagnostic: (event) => events.push(event) });
    const client = await LegacyClient.open(server, { capabilities, answer: silent });
    const { response } = client.start("tools/call", { name: "asks" });
    await client.until(() => questions(client).length === 1);
    client.sendText(write(JSON.stringify(questions(client)[0].id)));
    const { isError, content } = await response;
    expect(isError).toBe(true);
    expect(content[0].text).toContain(`The client did not answer roots/list: ${why}`);
    expect(events.filter(({ level }) => level !== "debug")).toStrictEqual([]);
  });

  test("a request that is not answered in time SHOULD be cancelled and no longer waited for", async () => {
    const client = await LegacyClient.open(make({ inputTimeout: 20 }), { capabilities, answer: silent });
    expect(await client.callTool("asks")).toMatchObject({
      isError: true,
      content: [{ text: "The client did not answer roots/list." }],
    });
    const [question] = questions(client);
    expect((await client.notification("notifications/cancelled")).params).toEqual({
      requestId: question.id,
      reason: "it was not answered in time",
    });
  });

  test("a request without a limit is waited for longer than any timer can wait", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const client = await LegacyClient.open(make({ inputTimeout: Infinity }), { capabilities, answer: silent });
    const { response } = client.start("tools/call", { name: "asks" });
    await client.until(() => questions(client).length === 1);
    vi.advanceTimersByTime(2 ** 32);
    client.send({ jsonrpc: "2.0", id: questions(client)[0].id, result: { roots: [] } });
    expect(await response).toMatchObject({ content: [{ text: "none" }] });
  });

  test("why middleware has stopped a handler is told only if the words were made for the client", async () => {
    const stop = defer<(reason: unknown) => void>();
    const middleware: ServerMiddleware = (call, next) => {
      stop.resolve((reason) => call.abort(reason));
      return next();
    };
    const tools = { asks: tool({ middleware: [middleware], run: asks }) };
    const server = createServer({ name: "s", version: "1", tools });
    const client = await LegacyClient.open(server, { capabilities, answer: silent });
    client.start("tools/call", { name: "asks" });
    await client.until(() => questions(client).length === 1);
    (await stop.promise)(new DOMException("database db-7 is down", "AbortError"));
    expect((await client.notification("notifications/cancelled")).params).toEqual({
      requestId: questions(client)[0].id,
      reason: "it is not needed any more",
    });
  });

  test("timeouts SHOULD be configurable per request: a tool may have a limit of its own", async () => {
    const client = await LegacyClient.open(make(), { capabilities, answer: silent });
    expect(await client.callTool("asks_briefly")).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("20 ms") }],
    });
    expect((await client.notification("notifications/cancelled")).params).toEqual({
      requestId: questions(client)[0].id,
      reason: 'Tool "asks_briefly" took longer than 20 ms and was stopped.',
    });
  });
});

describe("cancellation", () => {
  test("cancellations MUST only name what was asked in the same direction: an answered question is not cancelled", async () => {
    const client = await LegacyClient.open(make(), { capabilities, answer: () => ({ roots: [] }) });
    const { id, response } = client.start("tools/call", { name: "asks" });
    expect(await response).toMatchObject({ content: [{ text: "none" }] });
    client.notify("notifications/cancelled", { requestId: id });
    await client.request("ping");
    expect(client.notifications("notifications/cancelled")).toStrictEqual([]);
  });

  test("a question that the call was answered without is taken back, before the answer", async () => {
    const both = async (_args: unknown, ctx: Context): Promise<string> => {
      await Promise.all([ctx.roots("one"), ctx.roots("other")]);
      return "both";
    };
    const server = createServer({ name: "s", version: "1", tools: { both: tool({ run: both }) } });
    const client = await LegacyClient.open(server, { capabilities, answer: () => new Promise(() => {}) });
    const { response } = client.start("tools/call", { name: "both" });
    await client.until(() => questions(client).length === 2);
    const [one, other] = questions(client);
    client.send({ jsonrpc: "2.0", id: one.id, error: { code: -1, message: "not today" } });
    expect(await response).toMatchObject({ isError: true });
    expect(client.notifications("notifications/cancelled")).toMatchObject([
      { params: { requestId: other.id, reason: "it is not needed any more" } },
    ]);
  });

  test("the sender of a cancellation SHOULD ignore a response that comes afterwards", async () => {
    const events: ServerDiagnostic[] = [];
    const server = make({ onDiagnostic: (event) => events.push(event) });
    const client = await LegacyClient.open(server, { capabilities, answer: () => new Promise(() => {}) });
    const { id } = client.start("tools/call", { name: "asks" });
    await client.until(() => questions(client).length === 1);
    client.notify("notifications/cancelled", { requestId: id });
    await client.notification("notifications/cancelled");
    client.send({ jsonrpc: "2.0", id: questions(client)[0].id, result: { roots: [] } });
    expect(await client.request("ping")).toStrictEqual({});
    expect(client.received.some((message) => !("method" in message) && message.id === id)).toBe(false);
    expect(events.filter(({ level }) => level !== "debug")).toStrictEqual([]);
  });

  test("both parties MUST handle cancellations that cross the response: they are ignored", async () => {
    const client = await LegacyClient.open(make());
    const { id, response } = client.start("ping");
    client.notify("notifications/cancelled", { requestId: id });
    expect(await response).toStrictEqual({});
    await client.start("ping", undefined, id).response;
  });

  test.each([{ requestId: "unknown" }, { requestId: {} }, { requestId: null }, {}, undefined])(
    "invalid cancellations SHOULD be ignored: %j",
    async (params) => {
      const client = await LegacyClient.open(make());
      client.notify("notifications/cancelled", params);
      await client.request("ping");
      expect(client.received.slice(1)).toHaveLength(1);
    },
  );

  test("reasons SHOULD be logged: the operator hears of them, quoted and cut", async () => {
    const events: ServerDiagnostic[] = [];
    const server = make({ onDiagnostic: (event) => events.push(event) });
    const client = await LegacyClient.open(server, { capabilities, answer: () => new Promise(() => {}) });
    const { id } = client.start("tools/call", { name: "asks" });
    await client.until(() => questions(client).length === 1);
    client.notify("notifications/cancelled", { requestId: id, reason: `no\n${"x".repeat(1000)}` });
    await client.notification("notifications/cancelled");
    const [event] = events.filter(({ message }) => message.includes("was cancelled"));
    expect(event?.level).toBe("debug");
    expect(event?.message).toMatch(/^tools\/call was cancelled: "no\\nx{197}"\.$/);
  });
});
