import { describe, expect, test } from "vitest";
import type { HttpOptions } from "../../../src/http/index.ts";
import { deferred, Events, initialize, post } from "../client.ts";
import type { Fixture } from "../fixture-server.ts";
import { FRONTS, type Target } from "../fronts.ts";

/** 2024-11-05, basic/transports, "HTTP with SSE". */
describe.each(FRONTS)("the HTTP+SSE transport of 2024-11-05 on $name", (front) => {
  const serve = (options: HttpOptions = { legacySse: true }): Promise<Fixture & Target> => front.serve(options);

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

  /** Calls a tool that asks its user something, up to the question. */
  async function beAsked(target: Target) {
    const { events, endpoint } = await open(target);
    await target.send({ path: endpoint, ...post(initialize("2025-06-18")) });
    await events.message();
    await target.send({ path: endpoint, ...post({ jsonrpc: "2.0", method: "notifications/initialized" }) });
    const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "ask", arguments: {} } };
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

  test("what is no message gets a 400, an unknown session a 404, another method a 405, other types a 415", async () => {
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
    const target = await serve({ legacySse: { streamPath: "/old/events", messagePath: "/old/post" } });
    const { events, endpoint } = await open(target, "/old/events");
    expect(endpoint).toMatch(/^\/old\/post\?sessionId=/);
    await events.cancel();
    const plain = await target.send(post({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
    expect(plain.status).toBe(200);
    await plain.text();
  });

  test.each([{}, { legacySse: false }])("it is not offered by %j", async (options) => {
    const target = await serve(options);
    expect((await target.send({ path: "/sse", headers: { accept: "text/event-stream" } })).status).toBe(404);
  });

  test("another principal cannot post to a stream", async () => {
    const target = await serve({
      legacySse: true,
      authenticate: ({ header }) => ({ id: header("authorization") ?? "none" }),
    });
    const { events, endpoint } = await open(target, "/sse", { authorization: "ada" });
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect((await target.send({ path: endpoint, ...post(ping, { authorization: "eve" }) })).status).toBe(404);
    expect((await target.send({ path: endpoint, ...post(ping, { authorization: "ada" }) })).status).toBe(202);
    expect((await events.message())?.id).toBe(1);
    await events.cancel();
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
    const target = await serve({ legacySse: true, closeTimeout: 600_000 });
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

  test("more streams than sessions are allowed get a 503", async () => {
    const target = await serve({ legacySse: true, sessions: { max: 1 } });
    const { events } = await open(target);
    const refused = await target.send({ path: "/sse", headers: { accept: "text/event-stream" } });
    expect(refused.status).toBe(503);
    const gone = deferred();
    void events.cancel().then(() => gone.resolve());
    await gone.promise;
  });
});
