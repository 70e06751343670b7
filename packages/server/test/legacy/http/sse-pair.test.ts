import { describe, expect, test } from "vitest";
import type { HttpOptions } from "../../../src/http.ts";
import { createServer, tool } from "../../../src/index.ts";
import { deferred, Events, initialize, post, readJson, type Seen } from "../../bindings/http/client.ts";
import { createFixture, type Fixture } from "../../bindings/http/fixture-server.ts";
import { PLATFORMS, type Target } from "../../bindings/http/platforms.ts";

/** Asks its client for roots before it answers. */
const looking = createServer({
  name: "test",
  version: "1",
  onDiagnostic() {},
  tools: {
    look: tool({ run: async (_args, ctx) => `${(await ctx.roots("roots")).length}` }),
  },
});

/** 2024-11-05, basic/transports, "HTTP with SSE". */
describe.each(PLATFORMS)("the HTTP+SSE transport of 2024-11-05 on $name", (platform) => {
  const serve = (options: HttpOptions = { legacy: { sse: true } }, fixture?: Fixture): Promise<Fixture & Target> =>
    platform.serve(options, fixture);

  async function open(
    target: Target,
    path = "/sse",
    headers: Record<string, string> = {},
  ): Promise<{ events: Events; endpoint: string }> {
    const events = new Events(await target.send({ path, headers: { accept: "text/event-stream", ...headers } }));
    const first = await events.next();
    expect(first?.event).toBe("endpoint");
    return { events, endpoint: first?.data ?? "" };
  }

  async function handshake(target: Target, revision: string): Promise<{ events: Events; endpoint: string }> {
    const { events, endpoint } = await open(target);
    await target.send({ path: endpoint, ...post(initialize(revision)) });
    await events.message();
    await target.send({ path: endpoint, ...post({ jsonrpc: "2.0", method: "notifications/initialized" }) });
    return { events, endpoint };
  }

  /** Calls a tool that asks its user something, up to the question. */
  async function beAsked(target: Target, revision = "2025-06-18", name = "ask") {
    const { events, endpoint } = await handshake(target, revision);
    const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name, arguments: {} } };
    await target.send({ path: endpoint, ...post(call) });
    return { events, endpoint, call, question: await events.message() };
  }

  test("the server MUST first send an endpoint event; messages are posted there and answered on the stream", async () => {
    const target = await serve();
    const { events, endpoint } = await open(target);
    const accepted = await target.send({ path: endpoint, ...post(initialize("2024-11-05")) });
    expect(accepted.status).toBe(202);
    const first = await events.next();
    expect(first?.event).toBe("message");
    expect(first?.message?.result?.["protocolVersion"]).toBe("2024-11-05");
    await target.send({ path: endpoint, ...post({ jsonrpc: "2.0", method: "notifications/initialized" }) });
    const message = {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "echo", arguments: { text: "hi" } },
    };
    await target.send({ path: endpoint, ...post(message) });
    expect((await events.message())?.result).toEqual({ content: [{ type: "text", text: "hi" }] });
    await events.cancel();
  });

  test("two clients do not hear of each other", async () => {
    const target = await serve();
    const [one, two] = [await open(target), await open(target)];
    expect(one!.endpoint).not.toBe(two!.endpoint);
    await target.send({ path: one!.endpoint, ...post({ jsonrpc: "2.0", id: "one", method: "ping" }) });
    await target.send({ path: two!.endpoint, ...post({ jsonrpc: "2.0", id: "two", method: "ping" }) });
    expect([(await one!.events.message())?.id, (await two!.events.message())?.id]).toEqual(["one", "two"]);
    await one!.events.cancel();
    await two!.events.cancel();
  });

  test("closing the stream ends the session and cancels what is in the works", async () => {
    const target = await serve();
    const { events, endpoint } = await open(target);
    const message = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "wait", arguments: {} } };
    await target.send({ path: endpoint, ...post(message) });
    await target.began("wait");
    await events.cancel();
    await target.wasCancelled;
    expect((await target.send({ path: endpoint, ...post({ jsonrpc: "2.0", id: 3, method: "ping" }) })).status).toBe(
      404,
    );
  });

  test("a body that is no message gets a 400, an unknown session a 404, another method a 405, other types a 415", async () => {
    const target = await serve();
    const { events, endpoint } = await open(target);
    const statuses = [
      await target.send({ path: endpoint, ...post("{") }),
      await target.send({ path: endpoint, ...post([{ jsonrpc: "2.0", id: 1, method: "ping" }]) }),
      await target.send({ path: "/messages?sessionId=guess", ...post({ jsonrpc: "2.0", id: 1, method: "ping" }) }),
      await target.send({ path: "/messages", ...post({ jsonrpc: "2.0", id: 1, method: "ping" }) }),
      await target.send({ path: endpoint }),
      await target.send({ path: "/sse", ...post({}) }),
      await target.send({ path: endpoint, ...post({}, { "content-type": "text/plain" }) }),
      await target.send({ path: "/sse", headers: { accept: "application/json" } }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([400, 400, 404, 404, 405, 405, 415, 406]);
    await events.cancel();
  });

  test("the paths can be chosen, and the endpoint of Streamable HTTP stays where it is", async () => {
    const target = await serve({ legacy: { sse: { streamPath: "/old/events", messagePath: "/old/post" } } });
    const { events, endpoint } = await open(target, "/old/events");
    expect(endpoint).toMatch(/^\/old\/post\?sessionId=/);
    await events.cancel();
    const plain = await target.send(post({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
    expect(plain.status).toBe(200);
    await plain.text();
  });

  test.each([{}, { legacy: { sse: false } }])("the transport is not offered by %j", async (options) => {
    const target = await serve(options);
    expect((await target.send({ path: "/sse", headers: { accept: "text/event-stream" } })).status).toBe(404);
  });

  test("another principal cannot post to a stream", async () => {
    const target = await serve({
      legacy: { sse: true },
      authenticate: ({ header }) => ({ id: header("authorization") ?? "none" }),
    });
    const { events, endpoint } = await open(target, "/sse", { authorization: "ada" });
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect((await target.send({ path: endpoint, ...post(ping, { authorization: "eve" }) })).status).toBe(404);
    expect((await target.send({ path: endpoint, ...post(ping, { authorization: "ada" }) })).status).toBe(202);
    expect((await events.message())?.id).toBe(1);
    await events.cancel();
  });

  test("each message has the rights that its caller has when it is posted, and the headers of its POST", async () => {
    const seen: unknown[] = [];
    const look = tool({
      run(_args, { principal, header }) {
        seen.push([principal?.scopes, header("x-color")]);
        return "seen";
      },
    });
    const target = await platform.start(createServer({ name: "test", version: "1", tools: { look } }), {
      legacy: { sse: true },
      authenticate: ({ header }) => ({ id: "ada", scopes: [header("authorization") ?? ""] }),
    });
    const { events, endpoint } = await open(target, "/sse", { authorization: "admin", "x-color": "red" });
    const headers = { authorization: "admin", "x-color": "green" };
    await target.send({ path: endpoint, ...post(initialize("2024-11-05"), headers) });
    await events.message();
    const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "look" } };
    await target.send({ path: endpoint, ...post(call, { authorization: "reader", "x-color": "blue" }) });
    await events.message();
    expect(seen).toEqual([[["reader"], "blue"]]);
    await events.cancel();
  });

  test("one caller has one limit on all its streams, until what it has asked for is done", async () => {
    const target = await serve({
      legacy: { sse: true },
      maxInFlightPerClient: 2,
      authenticate: ({ header }) => ({ id: header("authorization") ?? "" }),
    });
    const ada = { authorization: "ada" };
    const [one, two] = [await open(target, "/sse", ada), await open(target, "/sse", ada)];
    const wait = (endpoint: string, name: string): Promise<Response> => {
      const params = { name: "wait", arguments: { name } };
      return target.send({ path: endpoint, ...post({ jsonrpc: "2.0", id: name, method: "tools/call", params }, ada) });
    };
    const ping = async (endpoint: string, headers = ada): Promise<number> =>
      (await target.send({ path: endpoint, ...post({ jsonrpc: "2.0", id: "p", method: "ping" }, headers) })).status;
    expect([(await wait(one!.endpoint, "a")).status, (await wait(two!.endpoint, "b")).status]).toEqual([202, 202]);
    await Promise.all([target.began("a"), target.began("b")]);
    const refused = await wait(two!.endpoint, "c");
    expect(refused.status).toBe(429);
    expect((await readJson(refused)).id).toBe("c");
    const bob = { authorization: "bob" };
    const other = await open(target, "/sse", bob);
    expect(await ping(other.endpoint, bob)).toBe(202);
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "a" } };
    await target.send({ path: one!.endpoint, ...post(cancelled, ada) });
    // The tool runs on, whether anybody waits for it or not.
    expect(await ping(one!.endpoint)).toBe(429);
    target.release();
    expect((await two!.events.message())?.id).toBe("b");
    for (let times = 0; times < 3; times += 1) {
      expect(await ping(one!.endpoint)).toBe(202);
      expect((await one!.events.message())?.id).toBe("p");
    }
    for (const { events } of [one!, two!, other]) await events.cancel();
  });

  test("all streams share the limit of the endpoint, batches included", async () => {
    const target = await serve({ legacy: { sse: true }, maxInFlight: 2 });
    const { events, endpoint } = await handshake(target, "2025-03-26");
    const ping = (id: number): object => ({ jsonrpc: "2.0", id, method: "ping" });
    expect((await target.send({ path: endpoint, ...post([ping(2), ping(3), ping(4)]) })).status).toBe(503);
    expect((await target.send({ path: endpoint, ...post([ping(2), ping(3)]) })).status).toBe(202);
    await events.message();
    const wait = (name: string): object => {
      return { jsonrpc: "2.0", id: name, method: "tools/call", params: { name: "wait", arguments: { name } } };
    };
    const other = await open(target);
    await target.send({ path: endpoint, ...post([wait("a")]) });
    await target.send({ path: other.endpoint, ...post(wait("b")) });
    await Promise.all([target.began("a"), target.began("b")]);
    expect((await target.send({ path: other.endpoint, ...post(ping(4)) })).status).toBe(503);
    await events.cancel();
    await target.wasCancelled;
    expect((await target.send({ path: other.endpoint, ...post(ping(5)) })).status).toBe(503);
    target.release();
    expect((await other.events.message())?.id).toBe("b");
    expect((await target.send({ path: other.endpoint, ...post(ping(6)) })).status).toBe(202);
    expect((await other.events.message())?.id).toBe(6);
    await other.events.cancel();
  });

  test("closing the server lets what is in the works finish, then ends the streams", async () => {
    const target = await serve();
    const { events, endpoint } = await open(target);
    const message = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "wait", arguments: {} } };
    await target.send({ path: endpoint, ...post(message) });
    await target.began("wait");
    const closing = target.close();
    target.release();
    expect((await events.rest()).map(({ id }) => id)).toEqual([2]);
    await closing;
  });

  test("while the server shuts down, answers to its questions are taken, and no requests", async () => {
    const target = await serve({ legacy: { sse: true }, closeTimeout: 600_000 });
    const { events, endpoint, call, question } = await beAsked(target);
    const closing = target.close();
    expect((await target.send({ path: endpoint, ...post({ ...call, id: 3 }) })).status).toBe(503);
    const headers = { accept: "text/event-stream", "last-event-id": "p1-1" };
    expect((await target.send({ path: "/sse", headers })).status).toBe(503);
    const answer = { jsonrpc: "2.0", id: question?.id, result: { action: "accept", content: { name: "Ada" } } };
    expect((await target.send({ path: endpoint, ...post(answer) })).status).toBe(202);
    expect(await events.rest()).toMatchObject([
      { id: 2, result: { content: [{ type: "text", text: "Hello, Ada!" }] } },
    ]);
    await closing;
  });

  test("a broken answer fails at once what it was meant for", async () => {
    const target = await serve();
    const { events, endpoint, question } = await beAsked(target);
    const answer = { jsonrpc: "2.0", id: question?.id, result: null };
    expect((await target.send({ path: endpoint, ...post(answer) })).status).toBe(400);
    expect(await events.message()).toMatchObject({ id: 2, result: { isError: true } });
    await events.cancel();
  });

  describe("several messages in one array", () => {
    const ping = (id: number | string): object => ({ jsonrpc: "2.0", id, method: "ping" });

    test.each([
      ["in a revision without batches", "2025-06-18", 1],
      ["that are too many", "2025-03-26", 257],
    ])("an answer among messages %s fails at once what it was meant for", async (_which, revision, length) => {
      const target = await platform.start(looking, { legacy: { sse: true } });
      const { events, endpoint, question } = await beAsked(target, revision, "look");
      const answer = { jsonrpc: "2.0", id: question?.id, result: { roots: [] } };
      const refused = await target.send({ path: endpoint, ...post(Array.from({ length }, () => answer)) });
      const { error } = await readJson(refused);
      expect([refused.status, error?.code]).toEqual([400, -32600]);
      const text = `The client did not answer ${question?.method}: ${error?.message}`;
      expect(await events.message()).toMatchObject({ id: 2, result: { isError: true, content: [{ text }] } });
      await events.cancel();
    });

    test("several messages that answer the same are refused without making anything of each", async () => {
      const told: string[] = [];
      const onDiagnostic = ({ message }: { message: string }): void => void told.push(message);
      const target = await serve({ legacy: { sse: true } }, createFixture({ onDiagnostic }));
      const { events, endpoint, question } = await beAsked(target);
      const answer = { jsonrpc: "2.0", id: question?.id, result: {} };
      const body = Array.from({ length: 1000 }, () => answer);
      expect((await target.send({ path: endpoint, ...post(body) })).status).toBe(400);
      expect(await events.message()).toMatchObject({ id: 2, result: { isError: true } });
      expect(told.filter((message) => message.includes("Batches are part of"))).toHaveLength(1);
      await events.cancel();
    });

    test("several messages are answered in one array in revision 2025-03-26, whose servers MUST take them", async () => {
      const target = await serve();
      const { events, endpoint } = await handshake(target, "2025-03-26");
      const body = [ping(5), { jsonrpc: "2.0", id: "x", method: 5 }, ping(6)];
      expect((await target.send({ path: endpoint, ...post(body) })).status).toBe(202);
      const answers = (await events.message()) as unknown as Seen[];
      expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
        ["x", -32600],
        [5, undefined],
        [6, undefined],
      ]);
      await events.cancel();
    });

    test("several messages of which none can be answered are refused", async () => {
      const target = await serve();
      const { events, endpoint } = await handshake(target, "2025-03-26");
      expect((await target.send({ path: endpoint, ...post([1, null]) })).status).toBe(400);
      await events.cancel();
    });

    test("may answer what the client was asked, well or badly", async () => {
      const target = await platform.start(looking, { legacy: { sse: true } });
      const { events, endpoint, call, question } = await beAsked(target, "2025-03-26", "look");
      const answer = { jsonrpc: "2.0", id: question?.id, result: { roots: [{ uri: "file:///a" }] } };
      expect((await target.send({ path: endpoint, ...post([answer]) })).status).toBe(202);
      expect(await events.message()).toMatchObject({ id: 2, result: { content: [{ text: "1" }] } });
      await target.send({ path: endpoint, ...post({ ...call, id: 3 }) });
      const broken = { jsonrpc: "2.0", id: (await events.message())?.id, result: 5 };
      expect((await target.send({ path: endpoint, ...post([broken, ping(4)]) })).status).toBe(202);
      const rest = [await events.message(), await events.message()].flat();
      expect(new Set(rest.map((message) => message?.id))).toEqual(new Set([3, 4]));
      await events.cancel();
    });
  });

  test("more streams than sessions are allowed get a 503", async () => {
    const target = await serve({ legacy: { sse: true, sessions: { max: 1 } } });
    const { events } = await open(target);
    const refused = await target.send({ path: "/sse", headers: { accept: "text/event-stream" } });
    expect(refused.status).toBe(503);
    const gone = deferred();
    void events.cancel().then(() => gone.resolve());
    await gone.promise;
  });
});
