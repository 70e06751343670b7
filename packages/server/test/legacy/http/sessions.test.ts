import type { Socket } from "node:net";
import { RpcError } from "@toolwire/protocol";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createMemoryEventStore, type EventStore } from "../../../src/http.ts";
import { tool } from "../../../src/index.ts";
import {
  BOTH,
  deferred,
  Events,
  initialize,
  LegacyClient,
  modern,
  MODERN,
  post,
  readJson,
} from "../../bindings/http/client.ts";
import { createFixture } from "../../bindings/http/fixture-server.ts";
import { PLATFORMS } from "../../bindings/http/platforms.ts";

/** Every rule of 2025-11-25, basic/transports, that concerns servers with sessions. */
describe.each(PLATFORMS)("Streamable HTTP of 2025-11-25 on $name", ({ serve }) => {
  afterEach(() => void vi.useRealTimers());

  describe("Sending Messages to the Server", () => {
    test("accepted notifications and responses MUST get a 202 without a body", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const response = await client.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
      expect([response.status, await response.text()]).toEqual([202, ""]);
    });

    test("a response that answers nothing MUST get an HTTP error", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const response = await client.send({ jsonrpc: "2.0", id: 77, result: {} });
      expect(response.status).toBe(400);
      expect(await readJson(response)).not.toHaveProperty("id");
    });

    test("a request MUST be answered with JSON or an event stream: JSON if nothing has to go ahead", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const response = await client.call("later", { text: "hi" }, "x");
      expect(response.status).toBe(200);
      const answer = await readJson(response);
      expect([answer.id, answer.result]).toEqual(["x", { content: [{ type: "text", text: "hi" }] }]);
    });

    test("an unknown method is a JSON-RPC error in a 200", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const response = await client.request("unknown/method");
      expect([response.status, (await readJson(response)).error?.code]).toEqual([200, -32601]);
    });

    test("the server SHOULD at once send an event with an id and empty data, to prime the client to reconnect", async () => {
      const target = await serve({ legacy: { retryDelay: 1234 } });
      const client = await LegacyClient.open(target);
      const events = new Events(await client.call("chat", { count: 1 }));
      const first = await events.next();
      expect(first?.data).toBe("");
      expect(first?.id).toMatch(/^[\x21-\x7e]+$/);
      expect(events.retry).toBe(1234);
      expect((await events.rest()).map((message) => message.method ?? message.id)).toEqual([
        "notifications/message",
        2,
      ]);
    });

    test("clients before 2025-11-25 do not get such an event", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target, "2025-06-18");
      const events = new Events(await client.call("chat", { count: 1 }));
      expect((await events.next())?.message?.method).toBe("notifications/message");
      await events.rest();
    });

    test("the server MAY send requests before the response, on the stream of the request they relate to", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const standalone = new Events(await client.get());
      const events = new Events(await client.call("ask", {}, "q"));
      const question = await events.message();
      expect(question?.method).toBe("elicitation/create");
      const answer = { jsonrpc: "2.0", id: question?.id, result: { action: "accept", content: { name: "Ada" } } };
      const accepted = await client.send(answer);
      expect([accepted.status, await accepted.text()]).toEqual([202, ""]);
      const [result] = await events.rest();
      expect([result?.id, result?.result?.["content"]]).toEqual(["q", [{ type: "text", text: "Hello, Ada!" }]]);
      expect(standalone.text).not.toContain("elicitation");
      await standalone.cancel();
    });

    test("after the response the server SHOULD end the stream", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const messages = await new Events(await client.call("chat", { count: 3 })).rest();
      expect(messages.map((message) => message.method ?? message.id)).toEqual([
        "notifications/message",
        "notifications/message",
        "notifications/message",
        2,
      ]);
    });

    test("disconnection SHOULD NOT be taken for cancellation", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const events = new Events(await client.call("wait", { chatty: true, name: "left" }));
      const first = await events.next();
      await events.cancel();
      target.release();
      const resumed = new Events(await client.get(first?.id));
      const messages = await resumed.rest();
      expect(messages.at(-1)?.result?.["content"]).toEqual([{ type: "text", text: "waited as left" }]);
      expect(target.cancelled).toEqual([]);
    });

    test.each([
      ["a request", { jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "wait" } }, "2025-11-25"],
      ["a batch", [{ jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "wait" } }], "2025-03-26"],
    ])(
      "%s of which nothing was sent stops on disconnection: its client could not come back for it",
      async (_what, body, revision) => {
        const target = await serve({ maxInFlight: 1 });
        const client = await LegacyClient.open(target, revision);
        const leaving = new AbortController();
        const left = client.send(body, {}, leaving.signal);
        left.catch(() => undefined);
        await target.began("wait");
        leaving.abort();
        expect(String(await target.wasCancelled)).toContain("closed the connection");
        // It takes no room any more, either, once its handler has stopped.
        target.release();
        expect((await client.call("echo", {}, 5)).status).toBe(200);
      },
    );

    test("to cancel, the client sends a CancelledNotification; no response follows", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const events = new Events(await client.call("wait", { chatty: true }, "c"));
      await events.message();
      const params = { requestId: "c", reason: "changed my mind" };
      expect((await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params })).status).toBe(202);
      expect(String(await target.wasCancelled)).toContain("changed my mind");
      expect(await events.rest()).toEqual([]);
      target.release();
      expect((await readJson(await client.call("echo", {}, "c"))).id).toBe("c");
    });

    test("a request that is cancelled before anything was sent gets an event stream with nothing on it", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const answer = client.call("wait", {}, 5);
      await target.began("wait");
      await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
      const events = new Events(await answer);
      expect([await events.rest(), events.text]).toEqual([[], ""]);
    });

    test("a request that is cancelled before anything was sent gets an error if its client accepts JSON only", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const call = { jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "wait" } };
      const answer = client.send(call, { accept: "application/json" });
      await target.began("wait");
      await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
      const response = await answer;
      expect([response.status, await readJson(response)]).toMatchObject([200, { id: 5, error: { code: -32800 } }]);
    });

    test.each([{}, { requestId: "unknown" }, { requestId: {} }, undefined])(
      "an invalid cancellation (%j) SHOULD be ignored",
      async (params) => {
        const target = await serve();
        const client = await LegacyClient.open(target);
        expect((await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params })).status).toBe(202);
      },
    );

    test("an id that is still in use is refused", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const first = client.call("wait", {}, 5);
      await target.began("wait");
      const second = await client.call("echo", {}, 5);
      expect([second.status, (await readJson(second)).error?.code]).toEqual([400, -32600]);
      target.release();
      expect((await readJson(await first)).result).toBeDefined();
    });

    test("with responseMode sse, a lone answer is an event with an id", async () => {
      const target = await serve({ responseMode: "sse" });
      const client = await LegacyClient.open(target);
      const events = new Events(await client.call("echo", { text: "hi" }));
      expect((await events.next())?.data).toBe("");
      const second = await events.next();
      expect([second?.id, second?.message?.id]).toEqual([expect.any(String), 2]);
      expect(await events.next()).toBeUndefined();
    });
  });

  describe("closing the connection before the answer", () => {
    test("the server MAY close it after an event with an id; it SHOULD send a retry field before", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const events = new Events(await client.call("pause", {}, 1));
      const first = await events.next();
      expect(first?.data).toBe("");
      expect(await events.next()).toBeUndefined();
      expect(events.retry).toBe(50);
      target.release();
      const resumed = new Events(await client.get(first?.id));
      const [result] = await resumed.rest();
      expect([result?.id, result?.result?.["content"]]).toEqual([1, [{ type: "text", text: "resumed" }]]);
    });

    test("a client that comes back early waits for the rest on the new connection", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const events = new Events(await client.call("pause", {}, 1));
      const first = await events.next();
      const resumed = new Events(await client.get(first?.id));
      target.release();
      expect((await resumed.rest()).map(({ id }) => id)).toEqual([1]);
    });

    test("clients that would not come back are not left alone", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target, "2025-06-18");
      const answer = client.call("pause");
      await target.began("pause");
      target.release();
      expect((await readJson(await answer)).result?.["content"]).toEqual([{ type: "text", text: "resumed" }]);
    });
  });

  describe("Listening for Messages from the Server", () => {
    test("a GET MUST be answered with an event stream; it carries what belongs to no request", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const events = new Events(await client.get());
      target.server.tools.remove("who");
      expect((await events.message())?.method).toBe("notifications/tools/list_changed");
      await events.cancel();
    });

    test("the stream tells when to come back, should the server close the connection: retry SHOULD be sent", async () => {
      const target = await serve({ legacy: { retryDelay: 1234 } });
      const client = await LegacyClient.open(target);
      const events = new Events(await client.get());
      const first = await events.next();
      expect([first?.data, first?.id]).toEqual(["", expect.stringMatching(/^[\x21-\x7e]+$/)]);
      expect(events.retry).toBe(1234);
      await events.cancel();
    });

    test("a GET MUST be answered with a 405 where there is no session", async () => {
      const target = await serve();
      const response = await target.send({ headers: { accept: "text/event-stream" } });
      expect(response.status).toBe(405);
      await response.text();
    });

    test("the client MUST list text/event-stream: 406 otherwise", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const response = await target.send({ headers: { ...client.headers, accept: "application/json" } });
      expect(response.status).toBe(406);
      await response.text();
    });

    test("the stream MUST NOT carry responses", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const events = new Events(await client.get());
      await new Events(await client.call("chat", { count: 2 })).rest();
      target.server.tools.remove("who");
      await events.message();
      expect(events.text).not.toContain('"result"');
      expect(events.text).not.toContain("notifications/message");
      await events.cancel();
    });

    test("the stream is kept alive by comments", async () => {
      const target = await serve({ keepAliveInterval: 5 });
      const client = await LegacyClient.open(target, "2025-06-18");
      const events = new Events(await client.get());
      await events.until(": keep-alive\n\n");
      expect(await client.call("echo")).toMatchObject({ status: 200 });
      await events.cancel();
    });
  });

  describe("Multiple Connections", () => {
    test("the messages that were sent while a client was away are replayed, though it has opened another stream since", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const first = new Events(await client.get());
      const { id } = (await first.next()) ?? {};
      await first.cancel();
      target.server.tools.add("new", tool({ run: () => "new" }));
      // Changes are told at the end of the turn; after this one they have been.
      expect((await client.call("echo")).status).toBe(200);
      const second = new Events(await client.get());
      await second.next();
      const resumed = new Events(await client.get(id));
      expect((await resumed.message())?.method).toBe("notifications/tools/list_changed");
    });

    test("each message MUST go to only one of the connected streams", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const streams = [new Events(await client.get()), new Events(await client.get()), new Events(await client.get())];
      target.server.tools.remove("who");
      await streams[2]?.until("list_changed");
      // The end of the session ends the streams, so that all there is to read can be read.
      expect((await client.delete()).status).toBe(200);
      for (const stream of streams) await stream.rest();
      expect(streams.filter((stream) => stream.text.includes("list_changed"))).toHaveLength(1);
    });

    test("more streams than allowed end the oldest", async () => {
      const target = await serve({ legacy: { sessions: { maxStreams: 2 } } });
      const client = await LegacyClient.open(target);
      const first = new Events(await client.get());
      const second = new Events(await client.get());
      const third = new Events(await client.get());
      expect(await first.rest()).toEqual([]);
      target.server.tools.remove("who");
      expect((await third.message())?.method).toBe("notifications/tools/list_changed");
      await second.cancel();
      await third.cancel();
    });
  });

  describe("Session Management", () => {
    test("session ids SHOULD be unique and unguessable, and MUST only contain visible ASCII", async () => {
      const target = await serve();
      const ids = new Set<string>();
      for (let n = 0; n < 20; n += 1) ids.add((await LegacyClient.open(target)).session);
      expect(ids.size).toBe(20);
      for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{32,}$/);
    });

    test("a handshake that fails opens no session", async () => {
      const target = await serve();
      const message = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} };
      const response = await target.send(post(message, { accept: BOTH }));
      expect((await readJson(response)).error?.code).toBe(-32602);
      expect(response.headers.has("mcp-session-id")).toBe(false);
    });

    test("proxies that make a body of every answer can pass on that a session has ended", async () => {
      const client = await LegacyClient.open(await serve());
      const ended = await client.delete();
      const passedOn = new Response(await ended.arrayBuffer(), { status: ended.status });
      expect([passedOn.ok, await passedOn.text()]).toEqual([true, ""]);
    });

    test("a client that wants a new session and still names the old one is told what to leave out", async () => {
      const target = await serve();
      const response = await target.send(post(initialize(), { accept: BOTH, "mcp-session-id": "ended" }));
      expect(response.status).toBe(404);
      expect((await readJson(response)).error?.message).toContain("without `Mcp-Session-Id`");
    });

    test("DELETE ends a session; afterwards requests with its id MUST get a 404", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const events = new Events(await client.get());
      expect((await client.delete()).status).toBe(200);
      expect(await events.rest()).toEqual([]);
      for (const response of [await client.call("echo"), await client.get(), await client.delete()]) {
        expect(response.status).toBe(404);
        expect((await readJson(response)).error?.message).toContain("initialize");
      }
    });

    test("the 404 for an unknown session does not name the request: nothing was looked into", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      await client.delete();
      const refused = await client.call("echo", {}, "named");
      expect(refused.status).toBe(404);
      expect(await readJson(refused)).not.toHaveProperty("id");
    });

    test("DELETE cancels what is in the works, and does not say that nobody has looked at it", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const answer = client.call("wait");
      await target.began("wait");
      await client.delete();
      expect((await answer).status).toBe(410);
      await target.wasCancelled;
    });

    test("sessions do not hear of each other: not each other's questions, not each other's answers", async () => {
      const target = await serve();
      const one = await LegacyClient.open(target);
      const two = await LegacyClient.open(target);
      const events = new Events(await one.call("ask", {}, "mine"));
      const question = await events.message();
      const forged = { jsonrpc: "2.0", id: question?.id, result: { action: "accept", content: { name: "Eve" } } };
      expect((await two.send(forged)).status).toBe(400);
      await two.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "mine" } });
      await one.send({ jsonrpc: "2.0", id: question?.id, result: { action: "accept", content: { name: "Ada" } } });
      const [result] = await events.rest();
      expect(result?.result?.["content"]).toEqual([{ type: "text", text: "Hello, Ada!" }]);
    });

    test("a session that nobody uses ends", async () => {
      vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] });
      const target = await serve({ legacy: { sessions: { idleTimeout: 60_000 } } });
      const idle = await LegacyClient.open(target);
      const listening = await LegacyClient.open(target);
      const events = new Events(await listening.get());
      await vi.advanceTimersByTimeAsync(59_000);
      expect((await idle.call("echo")).status).toBe(200);
      await vi.advanceTimersByTimeAsync(120_000);
      expect((await idle.call("echo")).status).toBe(404);
      expect((await listening.call("echo")).status).toBe(200);
      await events.cancel();
    });

    test("a session that nobody uses ends even where timers do not run between requests", async () => {
      vi.useFakeTimers({ toFake: ["performance"] });
      const target = await serve({ legacy: { sessions: { idleTimeout: 60_000 } } });
      const client = await LegacyClient.open(target);
      vi.advanceTimersByTime(60_001);
      expect((await client.call("echo")).status).toBe(404);
    });

    test.each([3_600_000, -3_600_000])(
      "a session ends by its idle time whatever the system clock says: it may jump by %d",
      async (jump) => {
        vi.useFakeTimers({ toFake: ["performance", "Date"] });
        const target = await serve({ legacy: { sessions: { idleTimeout: 60_000 } } });
        const client = await LegacyClient.open(target);
        vi.setSystemTime(Date.now() + jump);
        expect((await client.call("echo")).status).toBe(200);
        vi.advanceTimersByTime(60_001);
        expect((await client.call("echo")).status).toBe(404);
      },
    );

    test("beyond the cap, the session that was quiet longest makes room, if it was quiet long enough", async () => {
      vi.useFakeTimers({ toFake: ["performance"] });
      const target = await serve({ legacy: { sessions: { max: 2 } } });
      const [oldest, newer] = [await LegacyClient.open(target), await LegacyClient.open(target)];
      const refused = await target.send(post(initialize(), { accept: BOTH }));
      expect(refused.status).toBe(503);
      expect(refused.headers.get("retry-after")).toBe("60");
      await refused.text();
      vi.advanceTimersByTime(61_000);
      expect((await newer!.call("echo")).status).toBe(200);
      const third = await LegacyClient.open(target);
      expect((await oldest!.call("echo")).status).toBe(404);
      expect((await newer!.call("echo")).status).toBe(200);
      expect((await third.call("echo")).status).toBe(200);
    });

    test("handshakes in the works count, those that fail do not", async () => {
      const gate = deferred();
      const begun = deferred();
      let handshakes = 0;
      const fixture = createFixture({
        middleware: [
          async (call, next) => {
            if (call.method !== "initialize") return next();
            const turn = (handshakes += 1);
            if (turn === 2) begun.resolve();
            await gate.promise;
            if (turn === 1) throw new RpcError(-32603, "Not this one");
            return next();
          },
        ],
      });
      const target = await serve({ legacy: { sessions: { max: 2 } } }, fixture);
      const open = (): Promise<Response> => target.send(post(initialize(), { accept: BOTH }));
      const slow = [open(), open()];
      await begun.promise;
      for (const refused of [await open(), await open()]) expect(refused.status).toBe(503);
      gate.resolve();
      const named = (await Promise.all(slow)).map(({ headers }) => headers.has("mcp-session-id"));
      expect(named.filter(Boolean)).toHaveLength(1);
      await LegacyClient.open(target);
      expect((await open()).status).toBe(503);
    });

    test("a handshake that there is no room for takes no session's place", async () => {
      const target = await serve({ legacy: { sessions: { max: 1 } }, maxInFlight: 1 });
      const waiting = target.send(modern("tools/call", { name: "wait", arguments: { name: "a" } }));
      await target.began("a");
      expect((await target.send(post(initialize(), { accept: BOTH }))).headers.get("retry-after")).toBe("1");
      target.release();
      expect((await waiting).status).toBe(200);
      await LegacyClient.open(target);
    });

    test("more requests at once than one session may have get a 429", async () => {
      const target = await serve({ maxInFlightPerClient: 2 });
      const client = await LegacyClient.open(target);
      const answers = [client.call("wait", { name: "a" }, 1), client.call("wait", { name: "b" }, 2)];
      await Promise.all([target.began("a"), target.began("b")]);
      const refused = await client.call("echo", {}, 3);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
      expect((await readJson(refused)).id).toBe(3);
      const other = await LegacyClient.open(target);
      expect((await other.call("echo")).status).toBe(200);
      target.release();
      for (const answer of answers) expect((await answer).status).toBe(200);
    });

    test("without sessions, initialize is answered, none is opened, and every request stands for itself", async () => {
      const target = await serve({ legacy: { sessions: false } });
      const response = await target.send(post(initialize(), { accept: BOTH }));
      expect(response.headers.has("mcp-session-id")).toBe(false);
      expect((await readJson(response)).result?.["protocolVersion"]).toBe("2025-11-25");
      const message = {
        jsonrpc: "2.0",
        id: 2,
        method: "tools/call",
        params: { name: "echo", arguments: { text: "hi" } },
      };
      const headers = { accept: BOTH, "mcp-protocol-version": "2025-11-25", "mcp-session-id": "from-another-machine" };
      expect((await readJson(await target.send(post(message, headers)))).result).toBeDefined();
      for (const method of ["GET", "DELETE"]) expect((await target.send({ method, headers })).status).toBe(405);
    });
  });

  describe("Protocol Version Header", () => {
    test.each(["1900-01-01", "2025-13-01", "2999-01-01", "garbage"])("%s MUST get a 400", async (version) => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const headers = { "mcp-protocol-version": version };
      const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
      const statuses = [
        (await client.send(message, headers)).status,
        (await client.send({ jsonrpc: "2.0", method: "notifications/initialized" }, headers)).status,
        (await target.send({ headers: { ...client.headers, ...headers } })).status,
        (await target.send({ method: "DELETE", headers: { ...client.headers, ...headers } })).status,
      ];
      expect(statuses).toEqual([400, 400, 400, 400]);
      expect((await client.call("echo")).status).toBe(200);
    });

    test("may be absent: the session knows the version", async () => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      const message = { jsonrpc: "2.0", id: 1, method: "ping" };
      expect((await client.send(message, { "mcp-protocol-version": undefined })).status).toBe(200);
    });

    test("initialize opens a session whatever version the header names: the body decides", async () => {
      const target = await serve();
      for (const version of ["2025-11-25", "2025-03-26", MODERN, "2024-10-07", "2999-01-01", "latest"]) {
        const headers = { accept: BOTH, "mcp-protocol-version": version };
        const response = await target.send(post(initialize(version), headers));
        expect(response.headers.has("mcp-session-id")).toBe(true);
        const agreed = version === "2025-03-26" ? version : "2025-11-25";
        expect((await readJson(response)).result?.["protocolVersion"]).toBe(agreed);
      }
    });
  });

  test("while the server shuts down, answers to its questions are taken, and nothing else", async () => {
    const target = await serve({ closeTimeout: 600_000 });
    const client = await LegacyClient.open(target);
    const [events, unwanted] = [
      new Events(await client.call("ask", {}, 2)),
      new Events(await client.call("ask", {}, 3)),
    ];
    const question = await events!.message();
    const other = await unwanted!.message();
    const closing = target.close();
    const refused = [
      await client.call("echo", {}, 4),
      await client.send([{ jsonrpc: "2.0", id: 5, method: "ping" }]),
      await client.get(),
      await client.delete(),
      await target.send(post(initialize(), { accept: BOTH })),
    ];
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3 } };
    expect((await client.send(cancelled)).status).toBe(202);
    expect(await unwanted!.rest()).toMatchObject([
      { method: "notifications/cancelled", params: { requestId: other?.id } },
    ]);
    const answer = { jsonrpc: "2.0", id: question?.id, result: { action: "accept", content: { name: "Ada" } } };
    expect((await client.send(answer)).status).toBe(202);
    const [result] = await events!.rest();
    expect([result?.id, result?.result?.["content"]]).toEqual([2, [{ type: "text", text: "Hello, Ada!" }]]);
    await closing;
  });

  test("while the server shuts down, pages of other origins can ask whether they may answer", async () => {
    const target = await serve({ closeTimeout: 600_000, allowedOrigins: ["https://app.example.com"] });
    const client = await LegacyClient.open(target);
    const events = new Events(await client.call("ask"));
    const question = await events.message();
    const closing = target.close();
    const headers = { origin: "https://app.example.com", "access-control-request-method": "POST" };
    expect((await target.send({ method: "OPTIONS", headers })).status).toBe(204);
    const answer = { jsonrpc: "2.0", id: question?.id, result: { action: "decline" } };
    expect((await client.send(answer, { origin: headers.origin })).status).toBe(202);
    await events.rest();
    await closing;
  });

  test("a broken answer fails at once what it was meant for, and nothing that others have asked", async () => {
    const target = await serve();
    const [client, other] = [await LegacyClient.open(target), await LegacyClient.open(target)];
    const events = new Events(await client!.call("ask"));
    const unconcerned = new Events(await other!.call("ask"));
    const question = await events.message();
    expect((await unconcerned.message())?.id).toBe(question?.id);
    const broken = { jsonrpc: "2.0", id: question?.id, result: "Ada" };
    // A request that is broken in the same way is none of its business.
    expect((await client!.send({ ...broken, method: 7 })).status).toBe(400);
    const refused = await client!.send(broken);
    expect([refused.status, (await readJson(refused)).error?.message]).toEqual([
      400,
      expect.stringContaining("result"),
    ]);
    expect(await events.rest()).toMatchObject([
      { id: 2, result: { isError: true, content: [{ text: expect.stringContaining("`result` must be an object") }] } },
    ]);
    const answer = { jsonrpc: "2.0", id: question?.id, result: { action: "accept", content: { name: "Ada" } } };
    expect((await other!.send(answer)).status).toBe(202);
    expect(await unconcerned.rest()).toMatchObject([{ result: { content: [{ text: "Hello, Ada!" }] } }]);
  });

  test("without an event store, nobody is asked on a stream that has lost its connection", async () => {
    const gone = deferred();
    const target = await serve({
      legacy: { eventStore: false },
      authenticate({ method, raw }) {
        const { socket } = raw as { socket?: Socket };
        if (method === "GET") socket?.once("close", () => gone.resolve());
        if (socket === undefined) gone.resolve();
        return { id: "ada" };
      },
    });
    const client = await LegacyClient.open(target);
    const events = new Events(await client.get());
    await events.until(":");
    await events.cancel();
    await gone.promise;
    const call = { jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "ask", arguments: {} } };
    const answer = await readJson(await client.send(call, { accept: "application/json" }));
    expect(answer.result).toMatchObject({ isError: true });
  });

  test("a question that is given up because the server shuts down is cancelled for that reason", async () => {
    const target = await serve({ closeTimeout: 0 });
    const client = await LegacyClient.open(target);
    const events = new Events(await client.call("ask"));
    const requestId = (await events.message())?.id;
    await target.close();
    expect(await events.rest()).toMatchObject([
      { method: "notifications/cancelled", params: { requestId, reason: "the server is shutting down" } },
    ]);
  });

  test("one endpoint serves both eras at once", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target);
    const [legacy, current] = await Promise.all([
      client.call("echo", { text: "old" }),
      target.send(modern("tools/call", { name: "echo", arguments: { text: "new" } })),
    ]);
    expect((await readJson(legacy)).result).toEqual({ content: [{ type: "text", text: "old" }] });
    expect((await readJson(current)).result).toMatchObject({
      resultType: "complete",
      content: [{ type: "text", text: "new" }],
    });
  });

  test("an answer that is still being stored when its client comes back is waited for", async () => {
    const kept = createMemoryEventStore();
    const storing = deferred();
    const stored = deferred();
    const eventStore: EventStore = {
      async append(...event) {
        storing.resolve();
        await stored.promise;
        await kept.append(...event);
      },
      after: (...place) => kept.after(...place),
      forget: (session) => kept.forget(session),
    };
    const target = await serve({ legacy: { eventStore } });
    const client = await LegacyClient.open(target);
    const events = new Events(await client.call("pause", {}, 1));
    const first = await events.next();
    expect(await events.next()).toBeUndefined();
    target.release();
    await storing.promise;
    const resumed = client.get(first?.id);
    stored.resolve();
    expect((await new Events(await resumed).rest()).map(({ id }) => id)).toEqual([1]);
  });

  test("an async event store that fails does not fail the request, and is reported", async () => {
    const reported = deferred<string>();
    const fixture = createFixture({ onDiagnostic: ({ message }) => reported.resolve(message) });
    const target = await serve(
      {
        legacy: {
          eventStore: {
            append: () => Promise.reject(new Error("disk full")),
            after: () => [],
            forget() {},
          },
        },
      },
      fixture,
    );
    const client = await LegacyClient.open(target);
    expect(await new Events(await client.call("chat", { count: 1 })).rest()).toHaveLength(2);
    expect(await reported.promise).toContain("event store");
  });
});
