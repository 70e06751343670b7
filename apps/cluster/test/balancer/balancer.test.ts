import { Random } from "@toolwire/evidence/load";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Balancer } from "../../src/balancer/balancer.ts";

/** A server that says how it is, and handles all other requests as told. */
async function startServer(handle: RequestListener, isReady = (): boolean => true): Promise<number> {
  const server: Server = createServer((request, response) => {
    if (request.url === "/readyz") response.writeHead(isReady() ? 200 : 503).end('{"engine":"up"}');
    else handle(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function startBalancer(ports: readonly number[]): Promise<{ balancer: Balancer; url: string }> {
  const balancer = new Balancer(new Random(1));
  onTestFinished(() => balancer.close());
  const url = await balancer.listen();
  balancer.balanceOver(ports);
  return { balancer, url };
}

const says =
  (text: string): RequestListener =>
  (_request, response) =>
    void response.end(text);

const post = (url: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { method: "POST", body: JSON.stringify(body), headers });

test("sends each request to the next server", async () => {
  const ports = await Promise.all(["one", "two"].map((text) => startServer(says(text))));
  const { balancer, url } = await startBalancer(ports);
  await Promise.all(ports.map((port) => balancer.untilReady(port)));
  const texts: string[] = [];
  for (let turn = 0; turn < 4; turn += 1) texts.push(await (await post(url)).text());
  expect(texts.toSorted()).toEqual(["one", "one", "two", "two"]);
  expect(texts[0]).not.toBe(texts[1]);
});

test("skips a server that is not ready, and says so if none is", async () => {
  let isReady = false;
  const ready = await startServer(says("ready"));
  const { balancer, url } = await startBalancer([ready, await startServer(says("not"), () => isReady)]);
  await balancer.untilReady(ready);
  for (let turn = 0; turn < 3; turn += 1) expect(await (await post(url)).text()).toBe("ready");
  isReady = true;
  const none = await startBalancer([]);
  const refused = await post(none.url);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
});

test("retries nothing: a server that closes the connection is a 502", async () => {
  let requests = 0;
  const port = await startServer((request) => {
    requests += 1;
    request.socket.destroy();
  });
  const { balancer, url } = await startBalancer([port, await startServer(says("other"))]);
  await balancer.untilReady(port);
  const statuses = [(await post(url)).status, (await post(url)).status];
  expect(statuses).toContain(502);
  expect(requests).toBe(statuses.filter((status) => status === 502).length);
});

test("a client that leaves is noticed by the server, and a stream that is cut by its client", async () => {
  const events = new EventEmitter();
  const port = await startServer((request: IncomingMessage, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("id: p1-1\ndata: {}\n\n");
    response.on("close", () => events.emit("left"));
    request.resume();
  });
  const { balancer, url } = await startBalancer([port]);
  await balancer.untilReady(port);
  const leaving = new AbortController();
  const left = once(events, "left");
  const first = await fetch(url, { method: "POST", body: "{}", signal: leaving.signal });
  await first.body!.getReader().read();
  leaving.abort();
  await left;

  const call = { method: "tools/call", params: { arguments: { call: "c7" } } };
  const second = await post(url, call, { "mcp-session-id": "s" });
  const reader = second.body!.getReader();
  await reader.read();
  expect(balancer.cutOne()).toBe(true);
  await expect(reader.read()).rejects.toThrow("terminated");
  expect([...balancer.cutCalls]).toEqual(["c7"]);
  expect(balancer.cutOne()).toBe(false);
});

test("counts each session of which a server knows nothing once, and none that its client has ended", async () => {
  const port = await startServer((_request, response) => void response.writeHead(404).end());
  const { balancer, url } = await startBalancer([port]);
  await balancer.untilReady(port);
  await post(url, {}, { "mcp-session-id": "a" });
  await post(url, {}, { "mcp-session-id": "a" });
  await fetch(url, { method: "DELETE", headers: { "mcp-session-id": "b" } });
  expect(balancer.lostSessions).toBe(1);
});
