import { describe, expect, test } from "vitest";
import { createServer, tool } from "../../../src/index.ts";
import { BOTH, Events, LegacyClient, post, readJson, type Seen } from "../../bindings/http/client.ts";
import { PLATFORMS, type Target } from "../../bindings/http/platforms.ts";

const call = (id: string | number, name: string, args: object = {}): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

/** Asks its client for roots before it answers. */
const looking = createServer({
  name: "test",
  version: "1",
  tools: { look: tool({ run: async (_args, ctx) => JSON.stringify(await ctx.roots("roots")) }) },
});

const CANCEL = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };

/** 2025-03-26, basic/transports: the one revision with batches. */
describe.each(PLATFORMS)("batches on $name", ({ serve, start }) => {
  async function array(response: Response): Promise<Seen[]> {
    expect(response.status).toBe(200);
    return (await readJson(response)) as unknown as Seen[];
  }

  test("requests in an array are answered in an array, one response for each", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target, "2025-03-26");
    const answers = await array(
      await client.send([call(1, "echo", { text: "a" }), call("2", "later", { text: "b" }), call(3, "nope")]),
    );
    expect(new Map(answers.map(({ id, result, error }) => [id, result?.["content"] ?? error?.code]))).toEqual(
      new Map<unknown, unknown>([
        [1, [{ type: "text", text: "a" }]],
        ["2", [{ type: "text", text: "b" }]],
        [3, -32602],
      ]),
    );
  });

  test("notifications and responses alone MUST get a 202 without a body", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target, "2025-03-26");
    const response = await client.send([
      { jsonrpc: "2.0", method: "notifications/roots/list_changed" },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9 } },
    ]);
    expect([response.status, await response.text()]).toEqual([202, ""]);
  });

  test("if one response of a batch is streamed, all come on the stream, which then ends", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target, "2025-03-26");
    const response = await client.send([
      call(1, "echo", { text: "a" }),
      call(2, "chat", { count: 2 }),
      call(3, "later"),
    ]);
    const messages = await new Events(response).rest();
    expect(messages.filter(({ method }) => method !== undefined)).toHaveLength(2);
    expect(new Set(messages.flatMap(({ id }) => (id === undefined ? [] : [id])))).toEqual(new Set([1, 2, 3]));
  });

  test("a client that only takes events gets the array as one event", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target, "2025-03-26");
    const response = await client.send([call(1, "echo"), call(2, "echo")], { accept: "text/event-stream" });
    const [event] = (await new Events(response).rest()) as unknown as Seen[][];
    expect(event?.map(({ id }) => id)).toEqual([1, 2]);
  });

  test("a request in a batch may ask the client", async () => {
    const target = await serve();
    // This revision cannot elicit, so what is asked is answered by an error; the others are not harmed.
    const client = await LegacyClient.open(target, "2025-03-26");
    const answers = await array(await client.send([call(1, "ask"), call(2, "echo", { text: "x" })]));
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 2]));
  });

  test("members that are no messages are refused one by one", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target, "2025-03-26");
    const answers = await array(
      await client.send([1, { jsonrpc: "1.0", id: "x", method: "ping" }, call(2, "echo"), null]),
    );
    // In this revision every answer has an id, so there is none for what has none.
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      ["x", -32600],
      [2, undefined],
    ]);
  });

  test("a batch in which nothing can be answered is refused as a whole", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target, "2025-03-26");
    const response = await client.send([1, null, []]);
    expect([response.status, (await readJson(response)).error?.code]).toEqual([400, -32600]);
  });

  test.each([
    ["beside others", [{ jsonrpc: "2.0", method: "notifications/roots/list_changed" }], 202],
    ["alone", [], 400],
  ])("a broken answer %s fails at once what it was meant for", async (_where, others, status) => {
    const target = await start(looking);
    const client = await LegacyClient.open(target, "2025-03-26");
    const events = new Events(await client.call("look"));
    const question = await events.message();
    expect((await client.send([{ jsonrpc: "2.0", id: question?.id, result: 5 }, ...others])).status).toBe(status);
    expect(await events.rest()).toMatchObject([{ id: 2, result: { isError: true } }]);
  });

  test("initialize MUST NOT be part of a batch", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target, "2025-03-26");
    const [answer] = await array(await client.send([{ jsonrpc: "2.0", id: 1, method: "initialize", params: {} }]));
    expect(answer?.error?.code).toBe(-32600);
  });

  test("one member can be cancelled; the others are answered", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target, "2025-03-26");
    const answer = client.send([call(1, "wait", { name: "a" }), call(2, "echo", { text: "b" })]);
    await target.began("a");
    await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect((await array(await answer)).map(({ id }) => id)).toEqual([2]);
    expect(target.cancelled).toEqual(["a"]);
  });

  test.each([
    ["the client cancels it", async (client: LegacyClient) => client.send(CANCEL)],
    ["the server shuts down", async (_client: LegacyClient, target: Target) => target.close()],
  ])("a question of a member is taken back when %s", async (_when, end) => {
    const options = { closeTimeout: 0 };
    const target = await start(looking, options);
    const client = await LegacyClient.open(target, "2025-03-26");
    const events = new Events(await client.send([call(1, "look")]));
    const requestId = (await events.message())?.id;
    await end(client, target);
    expect(await events.rest()).toMatchObject([{ method: "notifications/cancelled", params: { requestId } }]);
  });

  test("a batch of which all was cancelled gets an event stream with nothing on it", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target, "2025-03-26");
    const answer = client.send([call(1, "wait", { name: "a" })]);
    await target.began("a");
    await client.send([{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }]);
    expect(await new Events(await answer).rest()).toEqual([]);
  });

  test("a batch of which all was cancelled gets errors if its client accepts JSON only", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target, "2025-03-26");
    const batch = [call(1, "wait", { name: "a" }), call(2, "echo")];
    const answer = client.send(batch, { accept: "application/json" });
    await target.began("a");
    await client.send([{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }]);
    expect(await array(await answer)).toMatchObject([
      { id: 2, result: {} },
      { id: 1, error: { code: -32800 } },
    ]);
  });

  test("a batch whose session ends gets a 410", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target, "2025-03-26");
    const answer = client.send([call(1, "wait", { name: "a" }), call(2, "wait", { name: "b" })]);
    await Promise.all([target.began("a"), target.began("b")]);
    expect((await client.delete()).status).toBe(200);
    expect((await answer).status).toBe(410);
  });

  test("ids must be unique within a batch", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target, "2025-03-26");
    const answer = client.send([call(1, "wait", { name: "a" }), call(1, "echo")]);
    await target.began("a");
    target.release();
    const answers = await array(await answer);
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      [1, -32600],
      [1, undefined],
    ]);
  });

  test.each(["2024-11-05", "2025-06-18", "2025-11-25"])("revision %s has no batches: 400", async (revision) => {
    const target = await serve();
    const client = await LegacyClient.open(target, revision);
    const response = await client.send([call(1, "echo")]);
    expect([response.status, (await readJson(response)).error?.code]).toEqual([400, -32600]);
  });

  test.each([
    ["in a revision without batches", "2025-11-25", 1],
    ["that is too long", "2025-03-26", 257],
  ])("an answer in a batch %s fails at once what it was meant for", async (_which, revision, length) => {
    const target = await start(looking);
    const client = await LegacyClient.open(target, revision);
    const events = new Events(await client.call("look"));
    const answer = { jsonrpc: "2.0", id: (await events.message())?.id, result: { roots: [] } };
    const refused = await client.send(Array.from({ length }, () => answer));
    const { error } = await readJson(refused);
    expect([refused.status, error?.code]).toEqual([400, -32600]);
    const text = `The client did not answer roots/list: ${error?.message}`;
    expect(await events.rest()).toMatchObject([{ id: 2, result: { isError: true, content: [{ text }] } }]);
  });

  test("an answer in a batch that takes no form of answer fails at once what it was meant for", async () => {
    const target = await start(looking);
    const client = await LegacyClient.open(target, "2025-03-26");
    const events = new Events(await client.call("look"));
    const answer = { jsonrpc: "2.0", id: (await events.message())?.id, result: { roots: [] } };
    const refused = await client.send([answer, call(9, "look")], { accept: "text/html" });
    expect(refused.status).toBe(406);
    const text = `The client did not answer roots/list: ${(await readJson(refused)).error?.message}`;
    expect(await events.rest()).toMatchObject([{ id: 2, result: { isError: true, content: [{ text }] } }]);
  });

  // An error for each of them, with its stack, took longer than any test may.
  test("a batch of millions is refused without making anything of each", async () => {
    const target = await serve({ maxBodyBytes: Infinity });
    const response = await target.send({ ...post([]), body: `[${"0,".repeat(10_000_000)}0]` });
    expect(response.status).toBe(400);
  });

  test("without a handshake or a version header, the version is taken to be 2025-03-26", async () => {
    const target = await serve();
    const answers = await array(await target.send(post([call(1, "echo", { text: "a" }), call(2, "echo")])));
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(
      (await target.send(post([call(1, "echo")], { accept: BOTH, "mcp-protocol-version": "2025-06-18" }))).status,
    ).toBe(400);
  });

  test("an empty batch, and one that is too long, get a 400", async () => {
    const target = await serve();
    expect((await target.send(post([]))).status).toBe(400);
    expect((await target.send(post(Array.from({ length: 257 }, (_, id) => call(id, "echo"))))).status).toBe(400);
  });

  test("a batch counts for as many requests as it has", async () => {
    const target = await serve({ maxInFlightPerClient: 3 });
    const client = await LegacyClient.open(target, "2025-03-26");
    expect((await client.send([1, 2, 3, 4].map((id) => call(id, "echo")))).status).toBe(429);
    expect((await client.send([1, 2, 3].map((id) => call(id, "echo")))).status).toBe(200);
  });

  test("a modern request is not served as part of a batch", async () => {
    const target = await serve();
    const params = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };
    const [answer] = await array(await target.send(post([{ jsonrpc: "2.0", id: 1, method: "tools/list", params }])));
    expect(answer?.error?.code).toBe(-32600);
  });
});
