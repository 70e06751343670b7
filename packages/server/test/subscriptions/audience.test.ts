/** Two callers that watch the same URI, under which each has something else: one must not hear of changes of the other's. */
import { onTestFinished, describe, expect, test } from "vitest";
import { UsageError } from "@toolwire/protocol";
import { createServer, resource, type Server } from "../../src/index.ts";
import type { HttpOptions } from "../../src/http.ts";
import { serveWebSocket } from "../../src/bindings/websocket/index.ts";
import { Events, initialize, LegacyClient as HttpClient, modern, post, type Seen } from "../bindings/http/client.ts";
import { PLATFORMS, type Target } from "../bindings/http/platforms.ts";
import { MODERN_META } from "../raw-peer.ts";
import { FrameClient } from "../bindings/websocket/frame-client.ts";
import { LegacyClient, ModernClient, type WireClient } from "../wire-client.ts";

const UPDATED = "notifications/resources/updated";
const INBOX = "mail://inbox";
const OTHER = "mail://other";

function define(): Server {
  const read = (): string => "";
  return createServer({
    name: "mail",
    version: "1",
    resources: { inbox: resource({ uri: INBOX, read }), other: resource({ uri: OTHER, read }) },
  });
}

/** Returns the URIs of the updates that a client of both resources gets, one after the other. */
type Watcher = () => Promise<unknown>;

/** The updates that each gets when the inbox changes for Ada, for Bob, then for all, each followed by one that all see. */
async function announce(server: Server, ada: Watcher, bob: Watcher): Promise<{ ada: unknown[]; bob: unknown[] }> {
  const { resources } = server;
  for (const options of [{ principal: { id: "ada" } }, { principal: { id: "bob" } }, {}]) {
    resources.updated(INBOX, options);
    resources.updated(OTHER);
    // Changes in one turn are told once.
    await new Promise(setImmediate);
  }
  // Every caller here has a principal; and an update for all is told once.
  resources.updated(INBOX, { principal: undefined });
  resources.updated(INBOX, { principal: { id: "ada" } });
  resources.updated(INBOX);
  resources.updated(OTHER);
  const heard = { ada: [] as unknown[], bob: [] as unknown[] };
  for (let times = 0; times < 7; times += 1) {
    heard.ada.push(await ada());
    heard.bob.push(await bob());
  }
  return heard;
}

/** Each hears of their own, and of what is for all. */
const APART = {
  ada: [INBOX, OTHER, OTHER, INBOX, OTHER, INBOX, OTHER],
  bob: [OTHER, INBOX, OTHER, INBOX, OTHER, INBOX, OTHER],
};

const byName: HttpOptions["authenticate"] = ({ header }) => ({ id: header("authorization") ?? "nobody" });

const LISTEN = { notifications: { resourceSubscriptions: [INBOX, OTHER] } };

describe("resources.updated for one principal", () => {
  function watcher(client: WireClient): Watcher {
    let count = 0;
    return async () => {
      count += 1;
      const { params } = await client.notification(UPDATED, count);
      return params.uri;
    };
  }

  test("reaches modern clients of that principal only, on channels", async () => {
    const server = define();
    const watch = async (id: string): Promise<Watcher> => {
      const client = new ModernClient(server, { principal: { id } });
      client.start("subscriptions/listen", LISTEN);
      await client.notification("notifications/subscriptions/acknowledged");
      return watcher(client);
    };
    expect(await announce(server, await watch("ada"), await watch("bob"))).toEqual(APART);
  });

  test("reaches legacy clients of that principal only, on channels", async () => {
    const server = define();
    const watch = async (id: string): Promise<Watcher> => {
      const client = await LegacyClient.open(server, { principal: { id } });
      for (const uri of [INBOX, OTHER]) await client.request("resources/subscribe", { uri });
      return watcher(client);
    };
    expect(await announce(server, await watch("ada"), await watch("bob"))).toEqual(APART);
  });

  test("reaches clients of that principal only, over WebSockets", async () => {
    const server = define();
    const { url, close } = await serveWebSocket(server, { port: 0, authenticate: byName });
    onTestFinished(close);
    const watch = async (authorization: string): Promise<Watcher> => {
      const client = await FrameClient.open(url, { headers: { authorization } });
      client.send({
        jsonrpc: "2.0",
        id: 1,
        method: "subscriptions/listen",
        params: { ...LISTEN, _meta: MODERN_META },
      });
      await client.until(() => client.messages.length > 0);
      const updates = (): Seen[] => (client.messages as Seen[]).filter(({ method }) => method === UPDATED);
      let count = 0;
      return async () => {
        count += 1;
        await client.until(() => updates().length >= count);
        return updates()[count - 1]?.params?.["uri"];
      };
    };
    expect(await announce(server, await watch("ada"), await watch("bob"))).toEqual(APART);
  });

  test("reaches clients that nobody has authenticated, if the principal is undefined", async () => {
    const server = define();
    const nameless = new ModernClient(server);
    const ada = new ModernClient(server, { principal: { id: "ada" } });
    for (const client of [nameless, ada]) {
      client.start("subscriptions/listen", LISTEN);
      await client.notification("notifications/subscriptions/acknowledged");
    }
    server.resources.updated(INBOX, { principal: undefined });
    server.resources.updated(OTHER);
    const [first, second] = [watcher(nameless), watcher(ada)];
    expect([await first(), await first(), await second()]).toEqual([INBOX, OTHER, OTHER]);
  });

  test("does not name the principal to the client", async () => {
    const server = define();
    const client = await LegacyClient.open(server, { principal: { id: "ada" } });
    await client.request("resources/subscribe", { uri: INBOX });
    server.resources.updated(INBOX, { principal: { id: "ada" } });
    expect((await client.notification(UPDATED)).params).toStrictEqual({ uri: INBOX });
  });
});

describe.each(PLATFORMS)("resources.updated for one principal on $name", ({ start }) => {
  const serve = (server: Server): Promise<Target> => start(server, { authenticate: byName, legacy: { sse: true } });

  function watcher(events: Events): Watcher {
    return async () => {
      const message = await events.message();
      expect(message?.method).toBe(UPDATED);
      return message?.params?.["uri"];
    };
  }

  test("reaches modern clients of that principal only", async () => {
    const server = define();
    const target = await serve(server);
    const opened: Events[] = [];
    const watch = async (authorization: string): Promise<Watcher> => {
      const events = new Events(
        await target.send(modern("subscriptions/listen", LISTEN, { headers: { authorization } })),
      );
      opened.push(events);
      await events.message();
      return watcher(events);
    };
    expect(await announce(server, await watch("ada"), await watch("bob"))).toEqual(APART);
    for (const events of opened) await events.cancel();
  });

  test("reaches sessions of that principal only", async () => {
    const server = define();
    const target = await serve(server);
    const opened: Events[] = [];
    const watch = async (authorization: string): Promise<Watcher> => {
      const headers = { authorization };
      const client = await HttpClient.open(target, "2025-11-25", headers);
      const events = new Events(
        await target.send({ headers: { ...client.headers, ...headers, accept: "text/event-stream" } }),
      );
      opened.push(events);
      for (const [id, uri] of [INBOX, OTHER].entries()) {
        await client.send({ jsonrpc: "2.0", id, method: "resources/subscribe", params: { uri } }, headers);
      }
      return watcher(events);
    };
    expect(await announce(server, await watch("ada"), await watch("bob"))).toEqual(APART);
    for (const events of opened) await events.cancel();
  });

  test("reaches clients of that principal only that use HTTP+SSE", async () => {
    const server = define();
    const target = await serve(server);
    const opened: Events[] = [];
    const watch = async (authorization: string): Promise<Watcher> => {
      const headers = { authorization };
      const events = new Events(
        await target.send({ path: "/sse", headers: { accept: "text/event-stream", ...headers } }),
      );
      opened.push(events);
      const path = (await events.next())?.data ?? "";
      const send = (message: unknown): Promise<Response> => target.send({ path, ...post(message, headers) });
      await send(initialize("2024-11-05"));
      await events.message();
      await send({ jsonrpc: "2.0", method: "notifications/initialized" });
      for (const [id, uri] of [INBOX, OTHER].entries()) {
        await send({ jsonrpc: "2.0", id, method: "resources/subscribe", params: { uri } });
        await events.message();
      }
      return watcher(events);
    };
    expect(await announce(server, await watch("ada"), await watch("bob"))).toEqual(APART);
    for (const events of opened) await events.cancel();
  });
});

describe("resources.updated", () => {
  test.each(["ada", {}, { id: "" }, null])("refuses an invalid principal: %j", (principal) => {
    const server = define();
    expect(() => server.resources.updated(INBOX, { principal: principal as never })).toThrow(UsageError);
  });
});
