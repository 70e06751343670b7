/** basic/transports of 2025-11-25: Streamable HTTP, over real ports. */
import { connect, type Client, type ConnectOptions } from "@toolwire/client";
import type { ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { listen, openEvents, sendJson, type Seen } from "../../transports/http/listen.ts";
import { EVERYTHING } from "../../scripted-server.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { initialized } from "./connected.ts";

/** A server with a session, which it can forget. */
class SessionServer {
  session = 1;
  /** Answers in place of the server, if it returns true. */
  readonly #intercept: (seen: Seen, response: ServerResponse, server: SessionServer) => boolean;
  readonly #renewed = withResolvers<Seen>();

  constructor(intercept: (seen: Seen, response: ServerResponse, server: SessionServer) => boolean = () => false) {
    this.#intercept = intercept;
  }

  /** Resolves to the request for the session that follows the first. */
  get renewed(): Promise<Seen> {
    return this.#renewed.promise;
  }

  readonly answer = (seen: Seen, response: ServerResponse): void => {
    if (this.#intercept(seen, response, this)) return;
    const { method, headers, message } = seen;
    const session = `s${this.session}`;
    if (message?.method === "initialize") {
      if (this.session === 2) this.#renewed.resolve(seen);
      const answer = { jsonrpc: "2.0", id: message.id, result: initialized(EVERYTHING) };
      sendJson(response, answer, 200, { "mcp-session-id": session });
    } else if (headers["mcp-session-id"] !== session) response.writeHead(404).end();
    else if (method !== "POST") response.writeHead(405).end();
    else if (message?.method === undefined || message.id === undefined) response.writeHead(202).end();
    else sendJson(response, { jsonrpc: "2.0", id: message.id, result: { content: [] } });
  };
}

/** A client that is connected to such a server for the length of one test. */
async function connectedTo(
  server: SessionServer,
  options: ConnectOptions = {},
): Promise<{ client: Client; seen: Seen[] }> {
  const { url, seen } = await listen(server.answer);
  const client = await connect(url, { era: "legacy", memory: false, onDiagnostic: () => {}, ...options });
  onTestFinished(() => client.close());
  return { client, seen };
}

describe("sending", () => {
  test("every message MUST be a POST of its own, that accepts JSON and events", async () => {
    const answered = withResolvers<void>();
    const server = new SessionServer(({ message }, response) => {
      if (message?.result !== undefined) answered.resolve();
      if (message?.method !== "tools/call") return false;
      const send = openEvents(response);
      send({ jsonrpc: "2.0", id: "q", method: "roots/list" });
      void answered.promise.then(() => {
        send({ jsonrpc: "2.0", id: message.id, result: { content: [] } });
        response.end();
      });
      return true;
    });
    const { client, seen } = await connectedTo(server, { roots: [] });
    await client.callTool("t");
    await client.rootsChanged();
    const posts = seen.filter(({ method }) => method === "POST");
    expect(posts.map(({ message }) => message?.method ?? "response")).toStrictEqual([
      "initialize",
      "notifications/initialized",
      "tools/call",
      "response",
      "notifications/roots/list_changed",
    ]);
    for (const { headers, message } of posts) {
      expect(message).toMatchObject({ jsonrpc: "2.0" });
      expect(headers).toMatchObject({
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      });
    }
  });

  test.each<[string, (response: ServerResponse, answer: object) => void]>([
    ["JSON", (response, answer) => sendJson(response, answer)],
    ["events", (response, answer) => openEvents(response)(answer)],
  ])("the answer may be %s: both MUST be supported", async (_, send) => {
    const server = new SessionServer(({ message }, response) => {
      if (message?.method !== "tools/call") return false;
      send(response, { jsonrpc: "2.0", id: message.id, result: { content: [{ type: "text", text: "here" }] } });
      return true;
    });
    const { client } = await connectedTo(server);
    expect(await client.callTool("t")).toMatchObject({ content: [{ text: "here" }] });
  });

  test("messages MUST be UTF-8", async () => {
    const { client, seen } = await connectedTo(new SessionServer());
    await client.callTool("größe", { text: "Grüße\n🌍\u2028" });
    expect(seen.at(-1)?.message?.params).toStrictEqual({ name: "größe", arguments: { text: "Grüße\n🌍\u2028" } });
  });

  test("to cancel, a CancelledNotification SHOULD be sent explicitly, whatever else is closed", async () => {
    const asked = withResolvers<unknown>();
    const told = withResolvers<Seen>();
    const server = new SessionServer((request) => {
      const { message } = request;
      if (message?.method === "notifications/cancelled") told.resolve(request);
      if (message?.method !== "tools/call") return false;
      asked.resolve(message.id);
      return true;
    });
    const { client } = await connectedTo(server);
    const stop = new AbortController();
    const call = client.callTool("t", {}, { signal: stop.signal });
    const requestId = await asked.promise;
    stop.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    expect(await told.promise).toMatchObject({
      headers: { "mcp-session-id": "s1", "mcp-protocol-version": "2025-11-25" },
      message: { params: { requestId } },
    });
  });
});

describe("listening", () => {
  test("a GET MUST accept events, and a 405 is the end of it", async () => {
    const { client, seen } = await connectedTo(new SessionServer());
    await client.callTool("t");
    const gets = seen.filter(({ method }) => method === "GET");
    expect(gets.map(({ headers }) => headers["accept"])).toStrictEqual(["text/event-stream"]);
  });

  test("a stream whose connection the server closes SHOULD be polled, from the last event on", async () => {
    const resumed = withResolvers<unknown>();
    const server = new SessionServer(({ method, headers }, response) => {
      if (method !== "GET") return false;
      if (headers["last-event-id"] !== undefined) {
        resumed.resolve(headers["last-event-id"]);
        openEvents(response);
      } else {
        openEvents(response)("", "retry: 1\nid: e7\n");
        response.end();
      }
      return true;
    });
    await connectedTo(server);
    expect(await resumed.promise).toBe("e7");
  });
});

test("the time that `retry` says MUST be waited before coming back", async () => {
  const server = new SessionServer(({ method, headers, message }, response) => {
    if (message?.method === "tools/call") {
      openEvents(response)("", "retry: 54321\nid: e1\n");
      response.end();
    } else if (method === "GET" && headers["last-event-id"] === "e1") {
      openEvents(response)({ jsonrpc: "2.0", id: 2, result: { content: [] } });
    } else return false;
    return true;
  });
  const { client } = await connectedTo(server);
  // The test does not wait that long: it counts that the client would have.
  const { setTimeout } = globalThis;
  const waits: unknown[] = [];
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(((callback: () => void, ms?: number) => {
    waits.push(ms);
    return setTimeout(callback, ms === 54_321 ? 0 : ms);
  }) as typeof globalThis.setTimeout);
  onTestFinished(() => spy.mockRestore());
  expect(await client.callTool("t")).toStrictEqual({ content: [] });
  expect(waits).toContain(54_321);
});

describe("a session that the server has forgotten", () => {
  /** Has something done that finds out, and resolves to the headers of the request for another session. */
  async function renewal(server: SessionServer, act: (client: Client) => unknown): Promise<Seen["headers"]> {
    const { client } = await connectedTo(server, { roots: [] });
    await act(client);
    const { headers } = await server.renewed;
    return headers;
  }

  test("MUST be opened anew, without its id, when a request finds out", async () => {
    const server = new SessionServer();
    const headers = await renewal(server, async (client) => {
      server.session = 2;
      expect(await client.callTool("t")).toStrictEqual({ content: [] });
    });
    expect(headers).not.toHaveProperty("mcp-session-id");
  });

  test("MUST be opened anew when a notification finds out", async () => {
    const server = new SessionServer();
    const headers = await renewal(server, async (client) => {
      server.session = 2;
      await client.rootsChanged();
    });
    expect(headers).not.toHaveProperty("mcp-session-id");
  });

  test("MUST be opened anew when the answer to a question of the server finds out", async () => {
    const server = new SessionServer(({ message }, response, self) => {
      if (message?.method !== "tools/call") return false;
      openEvents(response)({ jsonrpc: "2.0", id: "q", method: "roots/list" });
      self.session = 2;
      return true;
    });
    const headers = await renewal(server, (client) => void client.callTool("t").catch(() => {}));
    expect(headers).not.toHaveProperty("mcp-session-id");
  });

  test("MUST be opened anew when the rest of an answer cannot be had", async () => {
    const server = new SessionServer(({ message }, response, self) => {
      if (message?.method !== "tools/call") return false;
      openEvents(response)("", "retry: 1\nid: e1\n");
      response.end();
      self.session = 2;
      return true;
    });
    const headers = await renewal(server, async (client) => {
      await expect(client.callTool("t")).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    });
    expect(headers).not.toHaveProperty("mcp-session-id");
  });

  test("MUST be opened anew when its stream finds out", async () => {
    const server = new SessionServer(({ method }, response, self) => {
      if (method !== "GET" || self.session === 2) return false;
      openEvents(response)("", "retry: 1\nid: e1\n");
      response.end();
      self.session = 2;
      return true;
    });
    const headers = await renewal(server, () => {});
    expect(headers).not.toHaveProperty("mcp-session-id");
  });
});
