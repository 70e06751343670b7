import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { until } from "../../../../../test/eventually.ts";
import { createMemoryEventStore, type EventStore, type StoredEvent } from "../../../src/http.ts";
import { prompt, tool, type ServerDiagnostic } from "../../../src/index.ts";
import { deferred, Events, LegacyClient, readJson } from "../../bindings/http/client.ts";
import { createFixture } from "../../bindings/http/fixture-server.ts";
import { PLATFORMS } from "../../bindings/http/platforms.ts";

/** 2025-11-25, basic/transports, "Resumability and Redelivery". */
describe.each(PLATFORMS)("resumption on $name", ({ serve }) => {
  async function idsOf(events: Events): Promise<string[]> {
    const ids: string[] = [];
    for (let event = await events.next(); event !== undefined; event = await events.next()) ids.push(event.id ?? "");
    return ids;
  }

  test("event ids MUST be unique across all streams of a session, and SHOULD tell the stream", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target);
    const streams = await Promise.all([1, 2, 3].map((id) => client.call("chat", { count: 3 }, id)));
    const ids = await Promise.all(streams.map((response) => idsOf(new Events(response))));
    expect(new Set(ids.flat()).size).toBe(3 * 5);
    for (const own of ids) expect(new Set(own.map((id) => id.split("-")[0])).size).toBe(1);
  });

  test("the events after the last one that was seen are replayed, on the stream that was disconnected", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target);
    const events = new Events(await client.call("chat", { count: 5 }));
    await events.next();
    await events.next();
    const seen = await events.next();
    await events.cancel();
    const replayed = await new Events(await client.get(seen?.id)).rest();
    expect(replayed.map((message) => message.params?.["data"] ?? message.id)).toEqual(["3x", "4x", "5x", 2]);
  });

  test.each([300_000, 3_000_000])("an answer of %i characters waits for a client that was sent away", async (size) => {
    const gate = deferred();
    const large = tool({
      async run(_args, ctx) {
        ctx.suspendStream(50);
        await gate.promise;
        return "x".repeat(size);
      },
    });
    const target = await serve({}, createFixture({ tools: { large } }));
    const client = await LegacyClient.open(target);
    const sent = new Events(await client.call("large", {}, 7));
    const first = await sent.next();
    expect(await sent.rest()).toEqual([]);
    gate.resolve();
    const [answer] = await new Events(await client.get(first?.id)).rest();
    expect(answer?.result).toEqual({ content: [{ type: "text", text: "x".repeat(size) }] });
  });

  test.each([
    ["one session", 1],
    ["many sessions", 10],
  ])("the answers that one caller leaves behind in %s do not push out those of others", async (_what, sessions) => {
    const gate = deferred();
    const large = tool({
      async run(_args, ctx) {
        ctx.suspendStream(50);
        await gate.promise;
        return "x".repeat(5000);
      },
    });
    const target = await serve(
      {
        legacy: { eventStore: createMemoryEventStore({ max: 100_000 }) },
        authenticate: ({ header }) => ({ id: header("authorization") ?? "" }),
      },
      createFixture({ tools: { large } }),
    );
    /** Calls the tool, up to the end of the connection, and returns the id to come back with. */
    const leave = async (client: LegacyClient, authorization: string, id: number): Promise<string | undefined> => {
      const request = { jsonrpc: "2.0", id, method: "tools/call", params: { name: "large" } };
      const events = new Events(await client.send(request, { authorization }));
      const first = await events.next();
      expect(await events.rest()).toEqual([]);
      return first?.id;
    };
    const open = (authorization: string): Promise<LegacyClient> =>
      LegacyClient.open(target, "2025-11-25", { authorization });
    const bob = await open("bob");
    const place = await leave(bob, "bob", 1);
    for (let session = 0; session < sessions; session += 1) {
      const mallory = await open("mallory");
      for (let id = 1; id <= 40 / sessions; id += 1) await leave(mallory, "mallory", id);
    }
    gate.resolve();
    // The answers are stored in the order of the calls, and all of them before this is answered.
    expect((await bob.send({ jsonrpc: "2.0", id: 2, method: "ping" }, { authorization: "bob" })).status).toBe(200);
    const headers = { ...bob.headers, accept: "text/event-stream", authorization: "bob", "last-event-id": place ?? "" };
    const [answer] = await new Events(await target.send({ headers })).rest();
    expect(answer).toMatchObject({ id: 1, result: { content: [{ text: "x".repeat(5000) }] } });
  });

  test("a store of one's own is told whose session it is, and need not care", async () => {
    const kept = createMemoryEventStore();
    const told = new Set<unknown[]>();
    const eventStore: EventStore = {
      ...kept,
      append(...event) {
        told.add([event.length, event[3]]);
        return kept.append(event[0], event[1], event[2]);
      },
    };
    const target = await serve({ legacy: { eventStore }, authenticate: () => ({ id: "ada" }) });
    const client = await LegacyClient.open(target);
    const events = new Events(await client.call("pause", {}, 1));
    const first = await events.next();
    await events.rest();
    target.release();
    expect((await new Events(await client.get(first?.id)).rest()).map(({ id }) => id)).toEqual([1]);
    expect([...told]).toEqual([[4, "ada"]]);
  });

  test("more clients of one session than may have requests in flight do not wait for a store at once", async () => {
    const reading = deferred();
    const read = deferred();
    let readers = 0;
    const eventStore: EventStore = {
      ...createMemoryEventStore(),
      async after() {
        readers += 1;
        if (readers === 2) reading.resolve();
        await read.promise;
        return [{ sequence: 2, data: '{"jsonrpc":"2.0","id":1,"result":{}}' }];
      },
    };
    const target = await serve({ legacy: { eventStore }, maxInFlightPerClient: 2 });
    const client = await LegacyClient.open(target);
    const waiting = [client.get("p1-1"), client.get("p1-1")];
    await reading.promise;
    const refused = await client.get("p1-1");
    expect([refused.status, readers]).toEqual([429, 2]);
    await refused.text();
    read.resolve();
    for (const response of waiting) expect(await new Events(await response).rest()).toHaveLength(1);
    expect(await new Events(await client.get("p1-1")).rest()).toHaveLength(1);
  });

  test("a client that leaves while a store does not answer takes no more room", async () => {
    const reading = deferred();
    let isStuck = true;
    const eventStore: EventStore = {
      ...createMemoryEventStore(),
      after() {
        reading.resolve();
        return isStuck ? new Promise(() => {}) : [];
      },
    };
    const target = await serve({ legacy: { eventStore }, maxInFlightPerClient: 1 });
    const client = await LegacyClient.open(target);
    const leaving = new AbortController();
    const left = client.get("p1-1", leaving.signal);
    left.catch(() => undefined);
    await reading.promise;
    isStuck = false;
    expect((await client.get("p1-1")).status).toBe(429);
    leaving.abort();
    await until(async () => (await client.get("p1-1")).status === 400);
  });

  test("a client whose requests take all its room can come back for their answers", async () => {
    const target = await serve({ maxInFlightPerClient: 1, maxInFlight: 1 });
    const client = await LegacyClient.open(target);
    const events = new Events(await client.call("pause", {}, 1));
    const first = await events.next();
    expect(await events.next()).toBeUndefined();
    const resumed = new Events(await client.get(first?.id));
    target.release();
    expect((await resumed.rest()).map(({ id }) => id)).toEqual([1]);
  });

  test("an answer that is too large to be kept is told to the operator", async () => {
    const told = deferred<ServerDiagnostic>();
    const eventStore = createMemoryEventStore({ max: 500 });
    const gate = deferred();
    const large = tool({
      async run(_args, ctx) {
        ctx.suspendStream(50);
        await gate.promise;
        return "x".repeat(1000);
      },
    });
    const target = await serve(
      { legacy: { eventStore } },
      createFixture({ tools: { large }, onDiagnostic: told.resolve }),
    );
    const client = await LegacyClient.open(target);
    await new Events(await client.call("large")).rest();
    gate.resolve();
    expect(await told.promise).toMatchObject({ level: "error", error: { message: expect.stringContaining("max") } });
  });

  test("messages of a different stream MUST NOT be replayed", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target);
    const one = await idsOf(new Events(await client.call("chat", { count: 2 }, "one")));
    await idsOf(new Events(await client.call("chat", { count: 2 }, "two")));
    const replayed = await new Events(await client.get(one[0])).rest();
    expect(replayed.filter(({ id }) => id !== undefined).map(({ id }) => id)).toEqual(["one"]);
  });

  test("an event store that never answers holds up neither a client that leaves nor a server that closes", async () => {
    const asked = deferred();
    const diagnostics: ServerDiagnostic[] = [];
    let reads = 0;
    const eventStore: EventStore = {
      append() {},
      after() {
        reads += 1;
        if (reads === 4) asked.resolve();
        return new Promise(() => {});
      },
      forget() {},
    };
    const target = await serve(
      { legacy: { eventStore } },
      createFixture({ onDiagnostic: (event) => diagnostics.push(event) }),
    );
    const client = await LegacyClient.open(target);
    const first = await new Events(await client.call("wait", { chatty: true })).next();
    const [open, standalone] = [new Events(await client.get(first?.id)), new Events(await client.get("g9-1"))];
    const finished = client.get("p9-1");
    const leaving = new AbortController();
    const left = client.get("p9-1", leaving.signal);
    await asked.promise;
    leaving.abort();
    await Promise.allSettled([left]);
    target.release();
    await target.close();
    expect([await open!.rest(), await standalone!.rest(), (await finished).status]).toEqual([[], [], 500]);
    expect(diagnostics.filter(({ level }) => level === "error")[0]).toMatchObject({ error: { code: "CLOSED" } });
  });

  test("a client that leaves while an event store does not answer is no failure of the store", async () => {
    const left = deferred();
    const diagnostics: ServerDiagnostic[] = [];
    const eventStore: EventStore = { append() {}, after: () => new Promise(() => {}), forget() {} };
    const fixture = createFixture({ onDiagnostic: (event) => diagnostics.push(event) });
    const target = await serve(
      {
        legacy: { eventStore },
        authenticate({ raw }) {
          // Whichever way the platform tells that a client is gone.
          const { socket, signal } = raw as Partial<IncomingMessage & Request>;
          socket?.once("close", () => left.resolve());
          signal?.addEventListener("abort", () => left.resolve());
          return { id: "a" };
        },
      },
      fixture,
    );
    const client = await LegacyClient.open(target);
    const leaving = new AbortController();
    const events = new Events(await client.get("g9-1", leaving.signal));
    await events.until("open");
    leaving.abort();
    await left.promise;
    await new Promise(setImmediate);
    expect((await client.delete()).status).toBe(200);
    expect(diagnostics.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("while the server shuts down, clients can come back for what is in the works, and open no other stream", async () => {
    const target = await serve({ closeTimeout: 600_000 });
    const client = await LegacyClient.open(target);
    const first = await new Events(await client.call("pause", {}, 7)).next();
    const closing = target.close();
    expect([(await client.get()).status, (await client.get("g1-1")).status]).toEqual([503, 503]);
    const resumed = new Events(await client.get(first?.id));
    target.release();
    expect((await resumed.rest()).map(({ id }) => id)).toEqual([7]);
    await closing;
  });

  test("an event store that answers when the session has ended opens no stream to a client that was told so", async () => {
    const [asked, events] = [deferred(), deferred<StoredEvent[]>()];
    const eventStore: EventStore = {
      append() {},
      after() {
        asked.resolve();
        return events.promise;
      },
      forget() {},
    };
    const target = await serve({ legacy: { eventStore }, keepAliveInterval: 12_345 });
    const client = await LegacyClient.open(target);
    const resumed = client.get("p9-1");
    await asked.promise;
    await client.delete();
    expect((await resumed).status).toBe(500);
    const timers = vi.spyOn(globalThis, "setInterval");
    onTestFinished(() => timers.mockRestore());
    // More than a connection takes at once.
    events.resolve([{ sequence: 2, data: "x".repeat(100_000) }]);
    await new Promise(setImmediate);
    expect(timers.mock.calls.filter(([, interval]) => interval === 12_345)).toEqual([]);
  });

  test("events of another session cannot be had", async () => {
    const target = await serve();
    const [one, two] = [await LegacyClient.open(target), await LegacyClient.open(target)];
    const ids = await idsOf(new Events(await one!.call("chat", { count: 2 })));
    const response = await two!.get(ids[0]);
    expect(response.status).toBe(400);
    expect(JSON.stringify(await readJson(response))).not.toContain("1x");
  });

  test("a broken GET stream is resumed like any other: nothing that was sent meanwhile is lost", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target);
    const leaving = new AbortController();
    const events = new Events(await client.get(undefined, leaving.signal));
    const first = await events.next();
    target.server.tools.remove("who");
    await events.until("list_changed");
    await events.cancel();
    leaving.abort();
    target.server.prompts.add("p", prompt({ description: "p", get: () => "p" }));
    const resumed = new Events(await client.get(first?.id));
    expect((await resumed.message())?.method).toBe("notifications/tools/list_changed");
    expect((await resumed.message())?.method).toBe("notifications/prompts/list_changed");
    target.server.tools.remove("header");
    expect((await resumed.message())?.method).toBe("notifications/tools/list_changed");
    await resumed.cancel();
  });

  test("a question that was asked while the client was away reaches it when it comes back", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target);
    const leaving = new AbortController();
    const events = new Events(await client.call("ask"));
    const first = await events.next();
    await events.cancel();
    leaving.abort();
    const resumed = new Events(await client.get(first?.id));
    const question = await resumed.message();
    expect(question?.method).toBe("elicitation/create");
    await client.send({ jsonrpc: "2.0", id: question?.id, result: { action: "accept", content: { name: "Ada" } } });
    expect((await resumed.message())?.result?.["content"]).toEqual([{ type: "text", text: "Hello, Ada!" }]);
  });

  test("the newest of two connections to one stream carries it", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target);
    const events = new Events(await client.call("wait", { chatty: true }));
    const first = await events.next();
    const second = new Events(await client.get(first?.id));
    // The older connection ends, without an answer.
    await events.message();
    expect(await events.rest()).toEqual([]);
    target.release();
    expect((await second.rest()).map((message) => message.method ?? message.id)).toEqual(["notifications/message", 2]);
  });

  test.each(["nonsense", "p999-1", "p1-999", "p1-", "../..", "p1-1-1"])(
    "Last-Event-ID %j has nothing to resume: 400",
    async (id) => {
      const target = await serve();
      const client = await LegacyClient.open(target);
      await new Events(await client.call("chat", { count: 1 })).rest();
      const response = await client.get(id);
      expect(response.status).toBe(400);
      await response.text();
    },
  );

  test("a GET stream whose events are gone goes on as a new one", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target);
    const events = new Events(await client.get("g999-5"));
    target.server.tools.remove("who");
    expect((await events.message())?.method).toBe("notifications/tools/list_changed");
    await events.cancel();
  });

  test("without an event store events have no ids, and disconnection cancels since nobody could come back", async () => {
    const target = await serve({ legacy: { eventStore: false } });
    const client = await LegacyClient.open(target);
    const events = new Events(await client.call("wait", { chatty: true }));
    const event = await events.next();
    expect(event).toBeDefined();
    expect(event?.id).toBeUndefined();
    await events.cancel();
    await target.wasCancelled;
  });

  test("a client that comes back before it has missed anything does not depend on the store", async () => {
    const diagnostics: ServerDiagnostic[] = [];
    const after = (): never => {
      throw new Error("The store is gone.");
    };
    const target = await serve(
      { legacy: { eventStore: { ...createMemoryEventStore(), after } } },
      createFixture({ onDiagnostic: (event) => diagnostics.push(event) }),
    );
    const client = await LegacyClient.open(target);
    const first = await new Events(await client.call("pause")).next();
    const resumed = new Events(await client.get(first?.id));
    target.release();
    expect((await resumed.rest()).map(({ id }) => id)).toEqual([2]);
    expect(diagnostics).toEqual([]);
  });

  test("a store that takes its time loses nothing and keeps the order", async () => {
    const target = await serve({ legacy: { eventStore: slowly(createMemoryEventStore()) } });
    const client = await LegacyClient.open(target);
    const events = new Events(await client.call("chat", { count: 20 }));
    const first = await events.next();
    await events.cancel();
    const replayed = await new Events(await client.get(first?.id)).rest();
    expect(replayed.map((message) => message.params?.["data"] ?? message.id)).toEqual([
      ...Array.from({ length: 20 }, (_, n) => `${n + 1}x`),
      2,
    ]);
  });

  test.each([
    ["answers", () => []],
    [
      "fails",
      () => {
        throw new Error("The store is gone.");
      },
    ],
  ])("a client that leaves before its events are found leaves no stream behind: the store %s", async (_how, find) => {
    const [asked, released] = [deferred(), deferred()];
    const departures = new Map<string, Promise<unknown>>();
    const target = await serve({
      legacy: {
        sessions: { maxStreams: 2 },
        eventStore: {
          ...createMemoryEventStore(),
          async after() {
            asked.resolve();
            await released.promise;
            return find();
          },
        },
      },

      authenticate({ raw, header }) {
        const { socket } = raw as Partial<IncomingMessage>;
        if (socket !== undefined) departures.set(header("x-stream") ?? "", once(socket, "close"));
        return { id: "ada" };
      },
    });
    const client = await LegacyClient.open(target);
    const open = async (name: string, lastEventId?: string): Promise<{ events: Events; leave(): Promise<void> }> => {
      const leaving = new AbortController();
      const headers = {
        ...client.headers,
        accept: "text/event-stream",
        "x-stream": name,
        ...(lastEventId && { "last-event-id": lastEventId }),
      };
      const events = new Events(await target.send({ headers, signal: leaving.signal }));
      const leave = async (): Promise<void> => {
        leaving.abort();
        await departures.get(name);
      };
      return { events, leave };
    };

    const first = await open("first");
    const orphan = await open("orphan", "g999-5");
    await asked.promise;
    await orphan.leave();
    released.resolve();
    // Whatever the store has set in motion is over when another request has gone there and back.
    await (await client.call("echo")).text();

    // Messages go to the stream that is there, and another one takes nobody's place.
    target.server.tools.remove("who");
    expect((await first.events.message())?.method).toBe("notifications/tools/list_changed");
    const another = await open("another");
    await another.leave();
    target.server.tools.remove("header");
    expect((await first.events.message())?.method).toBe("notifications/tools/list_changed");
    await first.leave();
  });

  test("the end of a session makes the store forget it", async () => {
    const forgotten = deferred<string>();
    const target = await serve({
      legacy: { eventStore: { ...createMemoryEventStore(), forget: (session) => forgotten.resolve(session) } },
    });
    const client = await LegacyClient.open(target);
    await client.delete();
    expect(await forgotten.promise).toBe(client.session);
  });

  test("close() resolves when the store has forgotten all sessions, and those that have just ended", async () => {
    const [appended, asked, gate] = [deferred(), deferred(), deferred()];
    const log: string[] = [];
    let count = 0;
    const eventStore: EventStore = {
      append: () => appended.promise,
      after: () => [],
      async forget(session) {
        count += 1;
        if (count === 2) asked.resolve();
        await gate.promise;
        log.push(session);
      },
    };
    const target = await serve({ legacy: { eventStore } });
    const [ended, open] = [await LegacyClient.open(target), await LegacyClient.open(target)];
    await new Events(await open.call("chat", { count: 1 })).rest();
    await ended.delete();
    const closing = target.close().then(() => log.push("closed"));
    appended.resolve();
    await asked.promise;
    gate.resolve();
    await closing;
    expect(log).toEqual([ended.session, open.session, "closed"]);
  });

  test("close() waits for the store no longer than `closeTimeout`", async () => {
    const eventStore = { ...createMemoryEventStore(), forget: () => new Promise<void>(() => {}) };
    const target = await serve({ legacy: { eventStore }, closeTimeout: 1 });
    await LegacyClient.open(target);
    await expect(target.close()).resolves.toBeUndefined();
  });

  test("the store forgets a session after events that were still being stored, so that nothing stays", async () => {
    const gate = deferred();
    const forgotten = deferred();
    const kept = new Set<string>();
    const appending: Promise<void>[] = [];
    const append = async (stream: string, { sequence }: StoredEvent): Promise<void> => {
      await gate.promise;
      if (sequence === 2) throw new Error("The disk is full");
      kept.add(`${stream} ${sequence}`);
    };
    const target = await serve({
      legacy: {
        eventStore: {
          append(_session, stream, event) {
            const stored = append(stream, event);
            appending.push(stored);
            return stored;
          },
          after: () => [],
          forget() {
            kept.clear();
            forgotten.resolve();
          },
        },
      },
    });
    const client = await LegacyClient.open(target);
    await new Events(await client.call("chat", { count: 3 })).rest();
    await client.delete();
    gate.resolve();
    await forgotten.promise;
    expect(await Promise.allSettled(appending)).toHaveLength(4);
    expect([...kept]).toEqual([]);
  });

  test("the end of a session waits for no store that never answers", async () => {
    const forgotten = deferred<string>();
    const eventStore: EventStore = {
      append: () => new Promise(() => {}),
      after: () => [],
      forget: (session) => forgotten.resolve(session),
    };
    const client = await LegacyClient.open(await serve({ legacy: { eventStore } }));
    await new Events(await client.call("chat", { count: 3 })).rest();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await client.delete();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await forgotten.promise).toBe(client.session);
  });
});

/** A store whose every answer comes a few turns later. */
function slowly(store: EventStore): EventStore {
  const later = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  };
  return {
    async append(session: string, stream: string, event: StoredEvent) {
      await later();
      await store.append(session, stream, event);
    },
    async after(session: string, stream: string, sequence: number) {
      await later();
      return store.after(session, stream, sequence);
    },
    forget: (session) => store.forget(session),
  };
}
