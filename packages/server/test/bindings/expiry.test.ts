import { describe, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { createServer, resource, type Server, tool } from "../../src/index.ts";
import { serveHttp } from "../../src/http.ts";
import { serveWebSocket } from "../../src/bindings/websocket/index.ts";
import { whenReached } from "../../src/timers.ts";
import { as, fakeAuth, type FakeAuth } from "../fake-auth.ts";
import { MODERN_META, textOf, toolCall } from "../raw-peer.ts";
import { ModernClient } from "../wire-client.ts";
import { Events, initialize, LegacyClient, modern, post } from "./http/client.ts";
import { PLATFORMS } from "./http/platforms.ts";
import { FrameClient } from "./websocket/frame-client.ts";

/** How long tokens are good in these tests: long enough to open what has to end. */
const LIFETIME_MS = 400;

/** Every token is good from now on for a while. `fresh` ones are good for ever. */
function shortLived(): FakeAuth {
  return fakeAuth({}, ({ header }) => {
    const id = header("authorization")?.replace("Bearer ", "") ?? "";
    const [name = "", isFresh] = id.split("-");
    return { principal: { id: name, expiresAt: isFresh ? undefined : Date.now() + LIFETIME_MS } };
  });
}

function define(): { readonly server: Server; readonly release: () => void } {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createServer({
    name: "expiring",
    version: "1.0.0",
    onDiagnostic() {},
    tools: {
      echo: tool({ run: () => "echo" }),
      hold: tool({ run: () => gate.then(() => "held") }),
      holdAndTell: tool({
        async run(_, ctx) {
          ctx.log("info", "on the way");
          await gate;
          return "held";
        },
      }),
    },
    resources: { r: resource({ uri: "a://b", read: () => "" }) },
  });
  return { server, release };
}

const LISTEN = { notifications: { toolsListChanged: true } };

describe.each(PLATFORMS)("expiry: SSE, subscription and WebSocket end with the token; on $name", ({ start }) => {
  test("a subscription ends as at shut-down: a notification, and the response", async () => {
    const target = await start(define().server, { auth: shortLived() });
    const events = new Events(await target.send(modern("subscriptions/listen", LISTEN, { id: 7, headers: as("ada") })));
    const messages = await events.rest();
    expect(messages.map(({ method, id }) => method ?? id)).toEqual([
      "notifications/subscriptions/acknowledged",
      "notifications/cancelled",
      7,
    ]);
    expect(messages[1]?.params).toMatchObject({ requestId: 7, reason: expect.stringContaining("expired") as string });
    expect(messages[2]).toHaveProperty("result");
  });

  test("a call that was let in may finish, and its answer is sent: JSON and stream", async () => {
    const { server, release } = define();
    const target = await start(server, { auth: shortLived() });
    const subscription = new Events(await target.send(modern("subscriptions/listen", LISTEN, { headers: as("ada") })));
    const json = target.send(modern("tools/call", { name: "hold" }, { headers: as("ada") }));
    const stream = new Events(await target.send(modern("tools/call", { name: "holdAndTell" }, { headers: as("ada") })));
    // The subscription shows that the tokens have expired, all but a moment.
    await subscription.rest();
    const second = new Events(await target.send(modern("subscriptions/listen", LISTEN, { headers: as("ada") })));
    await second.rest();
    release();
    expect(await (await json).text()).toContain("held");
    expect(JSON.stringify(await stream.rest())).toContain("held");
  });

  test("the stream of a legacy session ends; a new one continues it with a new token", async () => {
    const { server } = define();
    const target = await start(server, { auth: shortLived() });
    const client = await LegacyClient.open(target, "2025-11-25", as("ada"));
    const get = (token: string, lastEventId?: string): Promise<Response> =>
      target.send({
        headers: {
          ...client.headers,
          ...as(token),
          accept: "text/event-stream",
          ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
        },
      });
    const events = new Events(await get("ada"));
    const first = await events.next();
    expect(await events.next()).toBeUndefined();
    // The session is still there, and keeps what happens meanwhile.
    server.tools.add("more", tool({ run: () => "" }));
    await Promise.resolve();
    const renewed = new Events(await get("ada-fresh", first?.id));
    expect((await renewed.message())?.method).toBe("notifications/tools/list_changed");
    await renewed.cancel();
  });

  test("the HTTP+SSE pair ends with the token of its stream, after the calls in flight", async () => {
    const { server, release } = define();
    const target = await start(server, { auth: shortLived(), legacy: { sse: true }, closeTimeout: 60_000 });
    const events = new Events(
      await target.send({ path: "/sse", headers: { accept: "text/event-stream", ...as("ada") } }),
    );
    const path = (await events.next())?.data ?? "";
    const send = (message: object): Promise<Response> => target.send({ path, ...post(message, as("ada-fresh")) });
    await send(initialize("2024-11-05"));
    await events.message();
    await send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "hold" } });
    // Once the token has expired, a call is refused in a way that clients send it again over the next connection.
    let id = 3;
    await eventually(async () => {
      await send({ jsonrpc: "2.0", id: (id += 1), method: "tools/call", params: { name: "echo" } });
      expect((await events.message())?.error?.data?.["reason"]).toBe("shutting-down");
    });
    release();
    const rest = await events.rest();
    expect(JSON.stringify(rest)).toContain("held");
  });
});

describe("expiry: SSE, subscription and WebSocket end with the token; over WebSocket", () => {
  async function open(closeTimeout = 60_000) {
    const { server, release } = define();
    const listener = await serveWebSocket(server, { port: 0, auth: shortLived(), closeTimeout });
    onTestFinished(() => listener.close());
    const client = await FrameClient.open(listener.url, { headers: as("ada") });
    return { client, release };
  }

  test("the socket is closed with 1008 and the reason, after its subscriptions", async () => {
    const { client } = await open();
    client.send({
      jsonrpc: "2.0",
      id: 1,
      method: "subscriptions/listen",
      params: { ...LISTEN, _meta: MODERN_META },
    });
    const reasons: string[] = [];
    client.socket.on("close", (_code, reason) => reasons.push(String(reason)));
    expect(await client.closed()).toBe(1008);
    expect(reasons).toEqual(["the credentials have expired"]);
    expect(client.messages.map((message) => ("method" in message ? message.method : message.id))).toEqual([
      "notifications/subscriptions/acknowledged",
      "notifications/cancelled",
      1,
    ]);
  });

  test("requests in flight may finish; new ones are refused, also those that bring requested input", async () => {
    const { client, release } = await open();
    client.call(1, "hold");
    const isRefused = async (request: object & { id?: number }): Promise<boolean> => {
      client.send(request);
      return "error" in (await client.response(request.id));
    };
    let id = 2;
    await eventually(async () => expect(await isRefused(toolCall((id += 1), "echo"))).toBe(true));
    expect(await client.response(id)).toMatchObject({ error: { data: { reason: "shutting-down" } } });
    const { params } = toolCall(0, "echo") as { params: object };
    const retry = { jsonrpc: "2.0", id: 20_000, method: "tools/call", params: { ...params, inputResponses: {} } };
    expect(await isRefused(retry)).toBe(true);
    const closed = client.closed();
    release();
    expect(textOf(await client.response(1))).toBe("held");
    expect(await closed).toBe(1008);
  });

  test("a request that does not finish within closeTimeout is cut off", async () => {
    const { client } = await open(0);
    client.call(1, "hold");
    expect(await client.closed()).toBe(1008);
    expect(client.messages).toEqual([]);
  });
});

describe("expiry over a channel of one's own", () => {
  test("the connection ends with the credentials of its principal", async () => {
    const client = new ModernClient(define().server, { principal: { id: "ada", expiresAt: Date.now() + 50 } });
    expect(await client.served.closed.then(() => "ended")).toBe("ended");
  });
});

describe("timers of expiry", () => {
  test("a time beyond the reach of timers is waited for in steps, and fires once", () => {
    vi.useFakeTimers({ now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    let count = 0;
    whenReached(2 ** 33, () => (count += 1));
    vi.advanceTimersByTime(2 ** 33 - 1);
    expect(count).toBe(0);
    vi.advanceTimersByTime(1);
    expect(count).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([-Infinity, 0, Number.NaN])("%j has passed already", (time) => {
    vi.useFakeTimers({ now: 1000 });
    onTestFinished(() => void vi.useRealTimers());
    let count = 0;
    whenReached(time, () => (count += 1));
    expect(count).toBe(0);
    vi.advanceTimersByTime(1);
    expect([count, vi.getTimerCount()]).toEqual([1, 0]);
  });

  test("are gone when streams, subscriptions and sockets end before", async () => {
    const ends = vi.spyOn(globalThis, "clearTimeout");
    const waits = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => void vi.restoreAllMocks());
    const { server } = define();
    const far = fakeAuth({ ada: { expiresAt: Date.now() + 3e8 } });
    const http = await serveHttp(server, { port: 0, auth: far });
    onTestFinished(() => http.close());
    const ofExpiry = () =>
      waits.mock.calls.flatMap(([, delay], index) =>
        (delay ?? 0) > 2e8 ? [waits.mock.results[index]?.value as NodeJS.Timeout] : [],
      );
    const subscription = await fetch(http.url, modern("subscriptions/listen", LISTEN, { headers: as("ada") }));
    const session = await LegacyClient.open(
      { url: http.url, send: (init) => fetch(http.url, init), close: () => http.close() },
      "2025-11-25",
      as("ada"),
    );
    const stream = await fetch(http.url, {
      headers: { ...session.headers, ...as("ada"), accept: "text/event-stream" },
    });
    expect(ofExpiry()).toHaveLength(2);
    expect(ofExpiry().every((timer) => !timer.hasRef())).toBe(true);
    await subscription.body?.cancel();
    await stream.body?.cancel();
    const sockets = await serveWebSocket(server, { port: 0, auth: far });
    onTestFinished(() => sockets.close());
    const client = await FrameClient.open(sockets.url, { headers: as("ada") });
    expect(ofExpiry()).toHaveLength(3);
    client.socket.close();
    await eventually(() => {
      const cleared = new Set(ends.mock.calls.map(([timer]) => timer));
      expect(ofExpiry().filter((timer) => !cleared.has(timer))).toEqual([]);
    });
  });
});
