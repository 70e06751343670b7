import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "@toolwire/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../../../test/eventually.ts";
import { createSsePairChannel, type HttpTransportOptions } from "../../../src/http.ts";
import { Peer } from "../../transports/stdio/peer.ts";
import { stopClock } from "../../stopped-clock.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { listen, openEvents } from "../../transports/http/listen.ts";

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

it.each([
  [{ headers: "Bearer x" }, "`headers` must be an object"],
  [{ headers: 1 }, "`headers` must be an object"],
  [{ maxMessageBytes: Number.NaN }, "`maxMessageBytes` must be a whole number of bytes"],
])("a channel with invalid options opens no stream: %j", async (options, message) => {
  const { url, seen } = await listen((_, response) => response.writeHead(405).end());
  const channel = createSsePairChannel(url, options as HttpTransportOptions);
  const opening = channel.open({ message() {}, batch() {}, malformed() {}, closed() {} });
  await expect(opening).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining(message) as string,
  });
  expect(seen).toEqual([]);
});

describe("a POST that is never acknowledged", () => {
  it("a POST that is never acknowledged holds up neither other messages nor the end", async () => {
    const held: ServerResponse[] = [];
    const { url } = await servePair((method, response) => {
      if (method === "notifications/initialized") response.writeHead(202).end();
      else held.push(response);
    });
    const client = await connect(url, { memory: false });
    await expect(client.listTools()).resolves.toEqual({ tools: [] });
    await expect(client.listTools()).resolves.toEqual({ tools: [] });
    await client.close();
    expect(held).toHaveLength(3);
    for (const response of held) if (!response.closed) await once(response, "close");
  });

  it("a POST that is never acknowledged takes the place of no later request, once it is answered", async () => {
    const held: ServerResponse[] = [];
    const { url } = await servePair((method, response) => {
      if (method === "tools/list") held.push(response);
      else response.writeHead(202).end();
    });
    const client = await connect(url, { memory: false, cache: false });
    onTestFinished(() => client.close());
    // Twice as many as may be on their way at once.
    await Promise.all(Array.from({ length: 128 }, () => client.request("tools/list")));
    for (const response of held) if (!response.closed) await once(response, "close");
    expect(held).toHaveLength(128);
  });

  it("a POST that is never acknowledged takes the place of no later request, once it is cancelled", async () => {
    const all = withResolvers<void>();
    const held: ServerResponse[] = [];
    let send: (message: unknown, fields?: string) => void;
    const { url } = await listen(({ method, url: path, message }, response) => {
      if (method === "GET") {
        send = openEvents(response);
        response.write("event: endpoint\ndata: /post\n\n");
      } else if (path !== "/post") response.writeHead(405).end();
      else if (message?.method === "silent") {
        if (held.push(response) === 64) all.resolve();
      } else {
        response.writeHead(202).end();
        if (message?.id === undefined) return;
        const result = message.method === "initialize" ? INITIALIZED : { tools: [] };
        send({ jsonrpc: "2.0", id: message.id, result }, "event: message\n");
      }
    });
    const client = await connect(url, { memory: false });
    onTestFinished(() => client.close());
    const stop = new AbortController();
    const given = Array.from({ length: 64 }, () => client.request("silent", {}, { signal: stop.signal }));
    await all.promise;
    const later = client.listTools();
    stop.abort(new Error("enough"));
    expect(new Set(await Promise.all(given.map((call) => call.catch(String))))).toEqual(new Set(["Error: enough"]));
    await expect(later).resolves.toEqual({ tools: [] });
    for (const response of held) if (!response.closed) await once(response, "close");
  });

  it("a POST that is never acknowledged leaves connecting its time limit, and the signal", async () => {
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

it("noise is answered only where somebody waits for it, and ends the connection when it is too much", async () => {
  stopClock();
  let stream: ServerResponse | undefined;
  const refused = withResolvers<unknown>();
  const { url, seen } = await listen(({ method, message }, response) => {
    if (method === "GET") {
      stream = response;
      openEvents(response);
      response.write("event: endpoint\ndata: /post\n\n");
    } else {
      response.writeHead(202).end();
      refused.resolve(message);
    }
  });
  const peer = await Peer.open(createSsePairChannel(url));
  stream!.write('data: y\n\ndata: {"jsonrpc":"1.0","id":3,"method":"roots/list"}\n\n');
  expect(await refused.promise).toMatchObject({ id: 3, error: { code: -32600 } });
  stream!.write("data: y\n\n".repeat(100_000));
  await expect(peer.closed).resolves.toMatchObject({ code: "OVERLOADED" });
  expect(peer.violations).toHaveLength(10);
  expect(seen).toHaveLength(2);
});

it.each([
  ["stream", "GET"],
  ["messages", "POST"],
])("a refusal of the %s has the server's challenge", async (_, refused) => {
  const { url } = await listen(({ method }, response) => {
    if (method === refused) response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    else {
      openEvents(response);
      response.write("event: endpoint\ndata: /post\n\n");
    }
  });
  const channel = createSsePairChannel(url);
  onTestFinished(() => channel.close());
  const refusal = Promise.resolve(channel.open({ message() {}, batch() {}, malformed() {}, closed() {} })).then(() =>
    channel.send({ jsonrpc: "2.0", method: "notifications/one" }),
  );
  await expect(refusal).rejects.toMatchObject({ code: "UNAUTHORIZED", challenge: "Bearer" });
});

describe("a redirect", () => {
  const receiver = { message() {}, batch() {}, malformed() {}, closed() {} };

  function open(url: string) {
    const channel = createSsePairChannel(url, { headers: { Accept: "*/*", authorization: "SECRET" } });
    onTestFinished(() => channel.close());
    return { channel, opening: channel.open(receiver) };
  }

  it.each([
    [307, ["/post", "/v2/post", "/post", "/v2/post"]],
    [308, ["/post", "/v2/post", "/v2/post"]],
  ])("a redirect of a message is followed, with %i for as long as it says", async (status, paths) => {
    const { url, seen } = await listen(({ method, url: path }, response) => {
      if (method === "GET") {
        openEvents(response);
        response.write("event: endpoint\ndata: /post\n\n");
      } else if (path === "/post") response.writeHead(status, { location: "/v2/post" }).end();
      else response.writeHead(202).end();
    });
    const { channel, opening } = open(url);
    await opening;
    await channel.send({ jsonrpc: "2.0", method: "notifications/one" });
    await channel.send({ jsonrpc: "2.0", method: "notifications/two" });
    const posts = seen.filter(({ method }) => method === "POST");
    expect(posts.map(({ url: path }) => path)).toEqual(paths);
    expect(posts.at(-1)).toMatchObject({
      headers: { authorization: "SECRET" },
      message: { method: "notifications/two" },
    });
  });

  it("a redirect of the stream is followed, and the address that the stream names is read from there", async () => {
    const { url, seen } = await listen(({ method, url: path }, response) => {
      if (path === "/mcp") response.writeHead(307, { location: "/v2/stream" }).end();
      else if (method === "GET") {
        openEvents(response);
        response.write("event: endpoint\ndata: post\n\n");
      } else response.writeHead(202).end();
    });
    const { channel, opening } = open(url);
    await opening;
    await channel.send({ jsonrpc: "2.0", method: "notifications/one" });
    expect(seen.map(({ method, url: path }) => [method, path])).toEqual([
      ["GET", "/mcp"],
      ["GET", "/v2/stream"],
      ["POST", "/v2/post"],
    ]);
    expect(seen[1]?.headers).toMatchObject({ accept: "text/event-stream", authorization: "SECRET" });
  });

  it("a redirect to another origin is followed neither for the stream nor for messages, and named", async () => {
    const other = await listen((_, response) => response.writeHead(200).end());
    const stream = await listen((_, response) =>
      response.writeHead(307, { location: `${other.url}?token=SECRET` }).end(),
    );
    const refusal = expect(open(stream.url).opening).rejects;
    await refusal.toThrow(`redirects to ${other.url} (HTTP status 307)`);

    const { url } = await listen(({ method }, response) => {
      if (method !== "GET") response.writeHead(308, { location: other.url }).end();
      else {
        openEvents(response);
        response.write("event: endpoint\ndata: /post\n\n");
      }
    });
    const { channel, opening } = open(url);
    await opening;
    await expect(channel.send({ jsonrpc: "2.0", method: "notifications/one" })).rejects.toMatchObject({ status: 308 });
    expect(other.seen).toEqual([]);
  });

  it("a redirect that leads in a circle ends", async () => {
    const { url, seen } = await listen((_, response) => response.writeHead(307, { location: "/mcp" }).end());
    await expect(open(url).opening).rejects.toThrow(`redirects to ${url}`);
    expect(seen).toHaveLength(6);
  });

  it.each([
    ["elsewhere", () => "http://localhost:1/post?token=SECRET", () => "http://localhost:1/post"],
    ["with credentials", (url: string) => url.replace("//", "//user:SECRET@"), (url: string) => url],
  ])("the pair does not let the stream name an address %s", async (_, nameAddress, told) => {
    const { url, seen } = await listen(({ url: path }, response) => {
      if (path === "/mcp") response.writeHead(307, { location: "/stream" }).end();
      else {
        openEvents(response);
        response.write(`event: endpoint\ndata: ${nameAddress(url)}\n\n`);
      }
    });
    const refused = await open(url).opening?.then(
      () => expect.unreachable("No channel must be opened."),
      (error: unknown) => error as Error,
    );
    expect(refused).toMatchObject({ code: "INVALID_MESSAGE" });
    expect(refused?.message.endsWith(` ${told(url)}`)).toBe(true);
    expect(seen).toHaveLength(2);
  });
});

it("a server that asks far too much at once is answered over a few connections at a time", async () => {
  const held: ServerResponse[] = [];
  let answered = 0;
  let isPatient = true;
  let send!: (message: unknown) => void;
  const { url } = await listen(({ method, message }, response) => {
    if (method === "GET") {
      send = openEvents(response);
      response.write("event: endpoint\ndata: /post\n\n");
    } else if (isPatient) held.push(response);
    else {
      answered += message === undefined ? 0 : 1;
      response.writeHead(202).end();
    }
  });
  await Peer.open(createSsePairChannel(url));
  for (let id = 0; id < 300; id++) {
    send({ jsonrpc: "2.0", id: `q${id}`, method: "ping", ...(id % 2 && { params: 1 }) });
  }
  await eventually(() => expect(held.length).toBeGreaterThanOrEqual(64));
  // One more turn of the server, in which all the others would have come.
  await (await fetch(url)).body?.cancel();
  expect(held).toHaveLength(64);
  isPatient = false;
  for (const response of held) response.writeHead(202).end();
  await eventually(() => expect(held.length + answered).toBe(300));
});
