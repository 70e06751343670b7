import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "@toolwire/client";
import { describe, expect, it } from "vitest";
import { createSsePairChannel } from "../../../src/http/index.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { listen, openEvents } from "../listen.ts";

const INITIALIZED = {
  protocolVersion: "2024-11-05",
  capabilities: { tools: {} },
  serverInfo: { name: "old", version: "1" },
};

/** A server of 2024-11-05 that answers requests over its stream, and whose POSTs are acknowledged by `acknowledge`. */
function servePair(acknowledge: (method: string | undefined, response: ServerResponse) => void) {
  let send: (message: unknown, fields?: string) => void;
  return listen(({ method, url, message }, response) => {
    if (method === "GET") {
      send = openEvents(response);
      response.write("event: endpoint\ndata: /post\n\n");
    } else if (url !== "/post") response.writeHead(405).end();
    else {
      if (message?.id !== undefined) {
        const result = message.method === "initialize" ? INITIALIZED : { tools: [] };
        send({ jsonrpc: "2.0", id: message.id, result }, "event: message\n");
      }
      acknowledge(message?.method, response);
    }
  });
}

it("a channel that is closed while it asks for its headers opens no stream", async () => {
  const { url, seen } = await listen((_, response) => response.writeHead(405).end());
  const headers = withResolvers<Record<string, string>>();
  const channel = createSsePairChannel(url, { headers: () => headers.promise });
  const opening = channel.open({ message() {}, batch() {}, malformed() {}, closed() {} });
  await channel.close();
  headers.resolve({});
  await expect(opening).rejects.toMatchObject({ code: "CLOSED" });
  expect(seen).toEqual([]);
});

describe("a POST that is never acknowledged", () => {
  it("holds up neither other messages nor the end", async () => {
    const held: ServerResponse[] = [];
    const { url } = await servePair((method, response) => {
      if (method === "notifications/initialized") response.writeHead(202).end();
      else held.push(response);
    });
    const client = await connect(url, { memory: false });
    await expect(client.listTools()).resolves.toEqual({ tools: [] });
    await expect(client.listTools()).resolves.toEqual({ tools: [] });
    const cut = held.map((response) => once(response, "close"));
    await client.close();
    await Promise.all(cut);
    expect(cut).toHaveLength(3);
  });

  it("leaves connecting its time limit, and the signal", async () => {
    const { url } = await servePair(() => {});
    await expect(connect(url, { memory: false, connectTimeout: 100 })).rejects.toMatchObject({ code: "TIMEOUT" });
    const stop = new AbortController();
    const refused = expect(connect(url, { memory: false, signal: stop.signal })).rejects.toThrow("enough");
    stop.abort(new Error("enough"));
    await refused;
  });
});

it("closing delivers what is on its way", async () => {
  const arrived = withResolvers<ServerResponse>();
  const { url, seen } = await servePair((method, response) => {
    if (method === "notifications/custom") arrived.resolve(response);
    else response.writeHead(202).end();
  });
  const client = await connect(url, { memory: false });
  const notified = client.notify("notifications/custom");
  const closed = client.close();
  (await arrived.promise).writeHead(202).end();
  await notified;
  await closed;
  expect(seen.at(-1)?.message?.method).toBe("notifications/custom");
});

it("a request that is refused by its status fails alone", async () => {
  const started = withResolvers<void>();
  let answer: (() => void) | undefined;
  let send: (message: unknown, fields?: string) => void;
  const { url } = await listen(({ method, url: path, message }, response) => {
    if (method === "GET") {
      send = openEvents(response);
      response.write("event: endpoint\ndata: /post\n\n");
      return;
    }
    if (path !== "/post") {
      response.writeHead(405).end();
      return;
    }
    const name = message?.params?.["name"];
    response.writeHead(name === "large" ? 413 : 202).end();
    const reply = (result: object): void => send({ jsonrpc: "2.0", id: message?.id, result }, "event: message\n");
    if (message?.method === "initialize") reply(INITIALIZED);
    if (name !== "slow") return;
    answer = () => reply({ content: [] });
    started.resolve();
  });
  const client = await connect(url, { memory: false });
  const slow = client.callTool("slow", {});
  await started.promise;
  await expect(client.callTool("large", {})).rejects.toMatchObject({ status: 413 });
  answer?.();
  await expect(slow).resolves.toEqual({ content: [] });
  await client.close();
});
