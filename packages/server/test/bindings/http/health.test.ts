/** What an HTTP endpoint says to load balancers, and how it leaves them. */
import { describe, expect, onTestFinished, test } from "vitest";
import { type Cluster, createMemoryEngine } from "../../../src/cluster/index.ts";
import { createHttpHandler, createNodeHandler, type HealthOptions, serveHttp } from "../../../src/http.ts";
import { createServer, type Server, tool } from "../../../src/index.ts";
import { fakeAuth } from "../../fake-auth.ts";
import { Events, modern, readJson } from "./client.ts";
import { PLATFORMS, type Target } from "./platforms.ts";
import { send } from "./node/raw-client.ts";

const LISTEN = { notifications: { toolsListChanged: true } };

/** A server with a tool that takes as long as the test wants. */
function define(): { server: Server; started: Promise<void>; finish: () => void } {
  let begin = (): void => undefined;
  let finish = (): void => undefined;
  const started = new Promise<void>((resolve) => (begin = resolve));
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const server = createServer({
    name: "drained",
    version: "1",
    tools: {
      quick: tool({ run: () => "quick" }),
      slow: tool({
        run: async () => {
          begin();
          await finished;
          return "slow";
        },
      }),
    },
  });
  return { server, started, finish };
}

const callOf = (name: string) => modern("tools/call", { name, arguments: {} });

async function ask(target: Target, path: string, method = "GET"): Promise<[number, unknown]> {
  const response = await target.send({ path, method });
  const text = await response.text();
  return [response.status, text === "" ? undefined : JSON.parse(text)];
}

/** A cluster whose engine is up or down as the test says. */
class SwitchedCluster {
  isUp = true;
  readonly cluster: Cluster;

  constructor() {
    const whole = createMemoryEngine().connect();
    const bus = { ...whole.bus, listen: () => () => undefined, isUp: true };
    Object.defineProperty(bus, "isUp", { get: () => this.isUp });
    this.cluster = { ...whole, bus };
  }
}

describe.each(PLATFORMS)("the health of an endpoint on $name", ({ start }) => {
  test("is told at two paths, without credentials", async () => {
    const target = await start(define().server, { health: true, path: "/mcp", auth: fakeAuth({}) });
    expect(await ask(target, "/livez")).toEqual([200, { status: "live" }]);
    expect(await ask(target, "/readyz")).toEqual([200, { status: "ready" }]);
    expect(await ask(target, "/readyz", "HEAD")).toEqual([200, undefined]);
    const refused = await target.send({ path: "/readyz", method: "POST", body: "{}" });
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    const { headers } = await target.send({ path: "/livez", headers: { origin: "https://evil.example" } });
    expect([headers.get("cache-control"), headers.get("access-control-allow-origin")]).toEqual(["no-store", null]);
  });

  test("is told at paths of one's own, and nowhere without the option", async () => {
    const own = await start(define().server, { health: { live: "/alive", ready: "/here" }, path: "/mcp" });
    expect((await ask(own, "/alive"))[0]).toBe(200);
    expect((await ask(own, "/here"))[0]).toBe(200);
    expect((await ask(own, "/livez"))[0]).toBe(404);
    const without = await start(define().server, { path: "/mcp" });
    expect((await ask(without, "/readyz"))[0]).toBe(404);
  });

  test("does not depend on the engine, unless that is wanted", async () => {
    const shared = new SwitchedCluster();
    const { cluster } = shared;
    const target = await start(define().server, { health: true, cluster, path: "/mcp" });
    const strict = await start(define().server, { health: { needsEngine: true }, cluster, path: "/mcp" });
    expect(await ask(target, "/readyz")).toEqual([200, { status: "ready", engine: "up" }]);
    expect(await ask(strict, "/readyz")).toEqual([200, { status: "ready", engine: "up" }]);
    shared.isUp = false;
    expect(await ask(target, "/readyz")).toEqual([200, { status: "ready", engine: "down" }]);
    expect(await ask(strict, "/readyz")).toEqual([503, { status: "not ready", engine: "down" }]);
    for (const each of [target, strict]) expect(await ask(each, "/livez")).toEqual([200, { status: "live" }]);
  });
});

test("probes may name any host, as those of Kubernetes name an address", async () => {
  const { url, close } = await serveHttp(define().server, { port: 0, health: true });
  onTestFinished(close);
  const probe = { method: "GET", headers: { host: "10.1.2.3:3000" } };
  expect((await send(new URL("/readyz", url).href, probe)).status).toBe(200);
  expect((await send(url, probe)).status).toBe(403);
});

test.each<[unknown, string]>([
  ["/readyz", '`health` must be true, false, or an object with paths, such as { ready: "/readyz" }'],
  [{ ready: "readyz" }, "`health.ready` must"],
  [{ path: "/readyz" }, "path"],
  [{ needsEngine: 1 }, "`health.needsEngine` must"],
])("the option `health: %j` is refused", (health, message) => {
  expect(() => createHttpHandler(define().server, { health: health as HealthOptions })).toThrow(message);
});

describe("an endpoint that drains", () => {
  test("is not ready, finishes what runs and serves what comes, until it is closed", async () => {
    const { server, started, finish } = define();
    const listener = await serveHttp(server, { port: 0, health: true });
    onTestFinished(listener.close);
    const post = (request: RequestInit): Promise<Response> => fetch(listener.url, request);
    const slow = post(callOf("slow"));
    await started;
    const kept = await post(callOf("quick"));
    expect(kept.headers.get("connection")).toBe("keep-alive");
    await kept.text();
    const drained = listener.drain({ wait: Infinity });
    expect(listener.health()).toEqual({ isReady: false, isDraining: true, isEngineUp: undefined });
    const readiness = await fetch(new URL("/readyz", listener.url));
    expect([readiness.status, await readiness.json()]).toEqual([503, { status: "draining" }]);
    // What is still sent here is served, and its connection not used again.
    const quick = await post(callOf("quick"));
    expect(quick.headers.get("connection")).toBe("close");
    expect((await readJson(quick)).result).toMatchObject({ content: [{ text: "quick" }] });
    const closed = listener.close();
    finish();
    expect((await readJson(await slow)).result).toMatchObject({ content: [{ text: "slow" }] });
    await Promise.all([drained, closed]);
    await expect(post(callOf("quick"))).rejects.toThrow("fetch failed");
  });

  test("closes by itself when load balancers have had their time", async () => {
    const listener = await serveHttp(define().server, { port: 0 });
    await listener.drain({ wait: 0 });
    await expect(fetch(listener.url, callOf("quick"))).rejects.toThrow("fetch failed");
    await listener.drain();
  });

  test("ends streams with a response, so that clients listen elsewhere", async () => {
    const handler = createHttpHandler(define().server, { path: "/mcp" });
    const response = await handler.fetch(new Request("http://localhost/mcp", modern("subscriptions/listen", LISTEN)));
    const events = new Events(response);
    expect((await events.message())?.method).toBe("notifications/subscriptions/acknowledged");
    await handler.drain({ wait: 0 });
    expect((await events.message())?.method).toBe("notifications/cancelled");
    expect(await events.message()).toMatchObject({ id: 1, result: {} });
    expect(handler.health().isReady).toBe(false);
  });

  test("is one of a handler in an application, too", async () => {
    const handler = createNodeHandler(define().server);
    expect(handler.health().isReady).toBe(true);
    await handler.drain({ wait: 0 });
    expect(handler.health()).toEqual({ isReady: false, isDraining: true, isEngineUp: undefined });
  });

  test("refuses options that make no sense", async () => {
    const handler = createHttpHandler(define().server);
    await expect(handler.drain({ wait: -1 })).rejects.toThrow("`wait` must");
    await expect(handler.drain({ delay: 1 } as never)).rejects.toThrow("delay");
    expect(handler.health().isReady).toBe(true);
  });
});
