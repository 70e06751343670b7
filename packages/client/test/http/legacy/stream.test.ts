import { ProtocolViolation, type PeerHandlers } from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/engine";
import { expect, it, onTestFinished } from "vitest";
import { createHttpTransport, type HttpTransportOptions } from "../../../src/http/index.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { listen, openEvents, sendJson, type Seen } from "../listen.ts";
import type { ServerResponse } from "node:http";

/** Answers everything of a legacy session but its stream. */
function serveSession({ message }: Seen, response: ServerResponse): void {
  if (message?.method === "initialize") {
    sendJson(response, { jsonrpc: "2.0", id: message.id, result: { protocolVersion: "2025-11-25" } });
  } else if (message?.id === undefined) response.writeHead(202).end();
  else sendJson(response, { jsonrpc: "2.0", id: message.id, result: {} });
}

async function openSession(url: string, options: HttpTransportOptions = {}, handlers: PeerHandlers = {}) {
  const transport = createHttpTransport(url, options);
  void transport.open(handlers);
  onTestFinished(() => transport.close());
  const caller = new Caller(transport, { timeout: 20_000 });
  await caller.call("initialize", { protocolVersion: "2025-11-25" });
  await transport.notify({ jsonrpc: "2.0", method: "notifications/initialized" });
  return caller;
}

it("a stream that says nothing before its first event delays nothing for long, and is heard when it speaks", async () => {
  const quiet = withResolvers<ServerResponse>();
  const { url } = await listen((seen, response) => {
    if (seen.method === "GET") quiet.resolve(response);
    else serveSession(seen, response);
  });
  const heard = withResolvers<string>();
  await openSession(url, {}, { notification: ({ method }) => heard.resolve(method) });
  openEvents(await quiet.promise)({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  expect(await heard.promise).toBe("notifications/tools/list_changed");
});

it("a stream with an event above the size limit is cut off before it is opened again", async () => {
  const cut = withResolvers<void>();
  const again = withResolvers<string | undefined>();
  let isFirst = true;
  const { url } = await listen((seen, response) => {
    if (seen.method !== "GET") return serveSession(seen, response);
    if (!isFirst) return again.resolve(seen.headers["last-event-id"] as string | undefined);
    isFirst = false;
    openEvents(response)("", "retry: 1\nid: e1\n");
    response.on("close", cut.resolve);
    response.write(`data: ${"x".repeat(5000)}`);
  });
  const told = withResolvers<unknown>();
  await openSession(url, { maxMessageBytes: 1000 }, { violation: told.resolve });
  expect(await told.promise).toMatchObject({ code: "TOO_LARGE" });
  await cut.promise;
  expect(await again.promise).toBe("e1");
});

it("an answer with an event above the size limit is cut off, and not asked for again", async () => {
  const cut = withResolvers<void>();
  const { url, seen } = await listen((request, response) => {
    if (request.method === "GET") response.writeHead(405).end();
    else if (request.message?.method !== "tools/call") serveSession(request, response);
    else {
      openEvents(response)("", "retry: 1\nid: e1\n");
      response.on("close", cut.resolve);
      response.write(`data: ${"x".repeat(5000)}`);
    }
  });
  const caller = await openSession(url, { maxMessageBytes: 1000 });
  const call = caller.call("tools/call", {});
  await expect(call).rejects.toBeInstanceOf(ProtocolViolation);
  await expect(call).rejects.toMatchObject({ code: "TOO_LARGE" });
  await cut.promise;
  expect(seen.filter(({ method }) => method === "GET")).toHaveLength(1);
});

it("the rest of an answer that is above the size limit fails it with that reason", async () => {
  const { url } = await listen((request, response) => {
    if (request.headers["last-event-id"] !== undefined) {
      openEvents(response);
      response.write(`data: ${"x".repeat(5000)}`);
    } else if (request.method === "GET") response.writeHead(405).end();
    else if (request.message?.method !== "tools/call") serveSession(request, response);
    else {
      openEvents(response)("", "retry: 1\nid: e1\n");
      response.end();
    }
  });
  const caller = await openSession(url, { maxMessageBytes: 1000 });
  await expect(caller.call("tools/call", {})).rejects.toMatchObject({ code: "TOO_LARGE" });
});

it.each([
  ["a time that no timer can count", 5_000_000_000, 0],
  ["no time at all", 0, 4],
])("a server that asks to come back after %s is not stormed", async (_, retryMs, most) => {
  const { url, seen } = await listen((request, response) => {
    if (request.method === "GET" || request.message?.method === "tools/call") {
      openEvents(response)("", `retry: ${retryMs}\nid: e1\n`);
      response.end();
    } else serveSession(request, response);
  });
  const caller = await openSession(url);
  const before = seen.length;
  await expect(caller.call("tools/call", {}, { timeout: 300 })).rejects.toMatchObject({ code: "TIMEOUT" });
  const asked = seen.slice(before).filter(({ method }) => method === "GET");
  expect(asked.length).toBeLessThanOrEqual(most);
});
