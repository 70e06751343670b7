/** basic/transports/streamable-http of 2026-07-28, and what other pages say of HTTP, over real ports. */
import { connect, retry, type Change, type Client, type ConnectOptions, type ClientDiagnostic } from "@toolwire/client";
import { MetaKey } from "@toolwire/protocol";
import type { ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen, openEvents, sendJson, type Seen } from "../../transports/http/listen.ts";
import { EVERYTHING } from "../../scripted-server.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { askEverything, EMPTY_ANSWERS } from "../../every-method.ts";

const DISCOVERY = { supportedVersions: ["2026-07-28"], capabilities: EVERYTHING };
const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };

/** The answers by method: a result, or whatever the function writes. */
type Answers = { readonly [method: string]: object | ((seen: Seen, response: ServerResponse) => void) };

async function connected(answers: Answers, options: ConnectOptions = {}) {
  const { url, seen } = await listen((request, response) => {
    const { id, method = "" } = request.message ?? {};
    const answer = method === "server/discover" && !(method in answers) ? DISCOVERY : answers[method];
    if (typeof answer === "function") (answer as (seen: Seen, response: ServerResponse) => void)(request, response);
    else if (id === undefined) response.writeHead(202).end();
    else sendJson(response, { jsonrpc: "2.0", id, result: answer ?? {} });
  });
  const client = await connect(url, { memory: false, onDiagnostic: () => {}, ...options });
  onTestFinished(() => client.close());
  const calls = (method: string) => seen.filter(({ message }) => message?.method === method);
  return { client, seen, calls, url };
}

/** Acknowledges a subscription, and leaves its stream to the test. */
function acknowledge({ message }: Seen, response: ServerResponse): (message: unknown) => void {
  const send = openEvents(response);
  const _meta = { [MetaKey.SubscriptionId]: message?.id };
  const { notifications } = message!.params as { notifications: object };
  send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { notifications, _meta } });
  return send;
}

async function useEverything(client: Client): Promise<void> {
  await askEverything(client);
  await client.notify("notifications/example", { a: 1 });
  const subscription = await client.subscribe({ tools: true }, () => {});
  subscription.close();
}

const EVERY_ANSWER: Answers = {
  ...EMPTY_ANSWERS,
  "subscriptions/listen": (seen, response) => void acknowledge(seen, response),
};

describe("sending", () => {
  test("every message MUST be a POST of its own to the endpoint, of one request or notification", async () => {
    const { client, seen } = await connected(EVERY_ANSWER);
    await useEverything(client);
    expect(seen).toHaveLength(12);
    for (const { method, url, message } of seen) {
      expect([method, url]).toEqual(["POST", "/mcp"]);
      expect(message).toMatchObject({ jsonrpc: "2.0", method: expect.any(String) as string });
    }
  });

  test("each POST MUST accept both JSON and event streams, and repeat version, method and name in headers", async () => {
    const { client, seen } = await connected(EVERY_ANSWER);
    await useEverything(client);
    for (const { headers, message } of seen) {
      const { name, uri, _meta } = message!.params as { name?: string; uri?: string; _meta: Record<string, unknown> };
      expect(headers["accept"]).toBe("application/json, text/event-stream");
      expect(headers["mcp-protocol-version"]).toBe(_meta[MetaKey.ProtocolVersion]);
      expect(headers["mcp-method"]).toBe(message?.method);
      expect(headers["mcp-name"]).toBe(name ?? uri);
    }
    expect(seen.filter(({ headers }) => headers["mcp-name"] !== undefined)).toHaveLength(3);
  });

  test("headers of the application MUST NOT make them differ from the body, however their names are spelled", async () => {
    const headers = { "MCP-Protocol-Version": "1999-01-01", "Mcp-METHOD": "x", "mcp-Name": "y", Accept: "text/html" };
    const { client, calls } = await connected(EVERY_ANSWER, { http: { headers } });
    await client.callTool("größe");
    expect(calls("tools/call")[0]?.headers).toMatchObject({
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "=?base64?Z3LDtsOfZQ==?=",
    });
  });

  test("responses MUST NOT be sent, not even where a legacy session was before", async () => {
    let isModern = false;
    const { url, seen } = await listen((request, response) => {
      const { id, method } = request.message ?? {};
      const result = method === "server/discover" ? DISCOVERY : { content: [] };
      if (request.method !== "POST") response.writeHead(405).end();
      else if (!isModern && method === "initialize") {
        const serverInfo = { name: "x", version: "1" };
        const begun = { protocolVersion: "2025-11-25", capabilities: EVERYTHING, serverInfo };
        sendJson(response, { jsonrpc: "2.0", id, result: begun }, 200, { "mcp-session-id": "s" });
      } else if (!isModern && id === undefined) response.writeHead(202).end();
      else if (isModern && request.headers["mcp-protocol-version"] === "2026-07-28") {
        const send = openEvents(response);
        send({ jsonrpc: "2.0", id: "asked", method: "roots/list" });
        send({ jsonrpc: "2.0", id, result });
        response.end();
      } else {
        sendJson(response, { jsonrpc: "2.0", id, error: { code: isModern ? -32020 : -32000, message: "no" } }, 400);
      }
    });
    const diagnostics: ClientDiagnostic[] = [];
    const client = await connect(url, { memory: false, roots: [], onDiagnostic: (event) => diagnostics.push(event) });
    onTestFinished(() => client.close());
    expect(client.era).toBe("legacy");
    isModern = true;
    await client.callTool("t");
    await client.callTool("t");
    expect(client.era).toBe("modern");
    expect(seen.filter(({ message }) => message !== undefined && message.method === undefined)).toEqual([]);
    expect(diagnostics.at(-1)?.message).toContain("roots/list");
  });
});

describe("receiving", () => {
  test.each(["JSON", "an event stream"])(
    "the client MUST support an answer as %s, and messages MUST be UTF-8",
    async (kind) => {
      const { client } = await connected({
        "tools/call": ({ message }, response) => {
          const { text } = message!.params!["arguments"] as { text: string };
          const answer = { jsonrpc: "2.0", id: message?.id, result: { content: [{ type: "text", text }] } };
          if (kind === "JSON") return sendJson(response, answer);
          openEvents(response)(answer);
          response.end();
        },
      });
      const { content } = await client.callTool("echo", { text: "Grüße 🌍\u2028" });
      expect(content).toEqual([{ type: "text", text: "Grüße 🌍\u2028" }]);
    },
  );

  test("header names MUST be compared without regard to case", async () => {
    const { client } = await connected({
      "tools/call": ({ message }, response) => {
        response.writeHead(200, { "CONTENT-TYPE": "text/event-stream" });
        response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id: message?.id, result: { content: [] } })}\n\n`);
      },
    });
    await expect(client.callTool("t")).resolves.toEqual({ content: [] });
  });

  test("a request whose stream broke MUST be issued as a new one, with a new id: streams are not resumed", async () => {
    let attempts = 0;
    const { client, seen, calls } = await connected(
      {
        "tools/list": ({ message }, response) => {
          const send = openEvents(response);
          if (++attempts === 1) send("", "id: 1\n");
          else send({ jsonrpc: "2.0", id: message?.id, result: { tools: [] } });
          response.end();
        },
      },
      { middleware: [retry({ delay: 1 })] },
    );
    await expect(client.listTools()).resolves.toEqual({ tools: [] });
    const [first, second] = calls("tools/list");
    expect(second?.message?.id).not.toBe(first?.message?.id);
    expect(seen.map(({ method }) => method)).toEqual(["POST", "POST", "POST"]);
    expect(second?.headers).not.toHaveProperty("last-event-id");
  });
});

describe("cancelling", () => {
  /** A stream that says nothing, and the promise of its end. */
  function silentStream() {
    const opened = withResolvers<void>();
    const closed = withResolvers<void>();
    const answer = (_: Seen, response: ServerResponse): void => {
      openEvents(response)("");
      response.on("close", closed.resolve);
      opened.resolve();
    };
    return { answer, opened: opened.promise, closed: closed.promise };
  }

  test("a request that is not answered in time SHOULD be cancelled, by closing its stream", async () => {
    const { answer, closed } = silentStream();
    const { client, seen } = await connected({ "tools/call": answer });
    await expect(client.callTool("t", {}, { timeout: 100 })).rejects.toMatchObject({ code: "TIMEOUT" });
    await closed;
    expect(seen).toHaveLength(2);
  });

  test("a subscription is cancelled by closing its stream, and no message is sent for it", async () => {
    const closed = withResolvers<void>();
    const { client, seen } = await connected({
      "subscriptions/listen": (request, response) => {
        response.on("close", closed.resolve);
        acknowledge(request, response);
      },
    });
    const subscription = await client.subscribe({ tools: true }, () => {});
    subscription.close();
    await closed.promise;
    expect(seen).toHaveLength(2);
  });

  test("a cancellation of the server that names another request SHOULD be ignored", async () => {
    const stream = withResolvers<(message: unknown) => void>();
    const { client, calls } = await connected({
      "subscriptions/listen": (request, response) => stream.resolve(acknowledge(request, response)),
    });
    const heard = withResolvers<Change>();
    await client.subscribe({ tools: true }, heard.resolve);
    const send = await stream.promise;
    for (const params of [{ requestId: 99 }, { requestId: "1" }, {}, undefined]) {
      send({ jsonrpc: "2.0", method: "notifications/cancelled", ...(params && { params }) });
    }
    send(CHANGED);
    expect(await heard.promise).toEqual({ kind: "tools" });
    expect(calls("subscriptions/listen")).toHaveLength(1);
  });
});

describe("finding out the era", () => {
  test.each([-32020, -32021])(
    "a 400 SHOULD be looked into: with the modern error %i there is no falling back",
    async (code) => {
      const { url, seen } = await listen(({ message }, response) =>
        sendJson(response, { jsonrpc: "2.0", id: message?.id, error: { code, message: "no" } }, 400),
      );
      await expect(connect(url, { memory: false })).rejects.toMatchObject({ code });
      expect(seen.map(({ message }) => message?.method)).toEqual(["server/discover"]);
    },
  );
});
