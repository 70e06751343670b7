import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FaultProxy } from "../src/fault-proxy.ts";

let target: Server;
let proxy: FaultProxy;

beforeEach(async () => {
  target = createServer().listen(0, "127.0.0.1");
  await once(target, "listening");
  proxy = new FaultProxy(() => (target.address() as AddressInfo).port);
  await proxy.listen();
});

afterEach(() => {
  proxy.close();
  target.close();
});

/** Connects through the proxy, and returns both ends. */
async function open(): Promise<{ client: Socket; server: Socket }> {
  const client = connect(proxy.port, "127.0.0.1");
  const [[server]] = (await Promise.all([once(target, "connection"), once(client, "connect")])) as [[Socket], unknown];
  for (const socket of [client, server]) socket.on("error", () => undefined);
  return { client, server };
}

test("the proxy passes everything on, both ways, to the end", async () => {
  const { client, server } = await open();
  const large = "x".repeat(1_000_000);
  client.end("question");
  server.end(large);

  expect(await Promise.all([text(server), text(client)])).toEqual(["question", large]);
});

test("the proxy resets both ends of a connection", async () => {
  const { client, server } = await open();
  const errors = Promise.all([once(client, "error"), once(server, "error")]);
  proxy.reset();

  expect(await errors).toMatchObject([[{ code: "ECONNRESET" }], [{ code: "ECONNRESET" }]]);
});

test("the proxy passes on half of an answer when it cuts, and ends the connection", async () => {
  const { client, server } = await open();
  void proxy.cut(1000);
  server.write("0123456789");

  expect(await text(client)).toBe("01234");
});

test("the server loses a connection that stalls before the client does", async () => {
  const { client, server } = await open();
  const order: string[] = [];
  server.once("error", () => order.push("server"));
  const failed = once(client, "error").then(() => order.push("client"));
  await proxy.stall(50);
  await failed;

  expect(order).toEqual(["server", "client"]);
});

test("the proxy refuses connections, and takes them again on the same port", async () => {
  const { port } = proxy;
  proxy.refuse();
  const [error] = (await once(connect(port, "127.0.0.1"), "error")) as [Error];
  await proxy.listen();

  expect(error).toMatchObject({ code: "ECONNREFUSED" });
  expect(proxy.port).toBe(port);
  await open();
});

test("the proxy adds latency to what it passes on, in the order in which it was sent", async () => {
  const { client, server } = await open();
  proxy.slowDown(20);
  for (let number = 0; number < 10; number++) client.write(String(number));
  client.end();

  expect(await text(server)).toBe("0123456789");
});

test("the proxy holds what is sent until it is released", async () => {
  const { client, server } = await open();
  proxy.hold();
  client.end("question");
  const other = await open();
  other.client.end("another");
  let isReleased = false;
  const arrived = Promise.all([text(server), text(other.server)]).then((texts) => ({ texts, isReleased }));
  await new Promise((resolve) => void setImmediate(resolve));
  isReleased = true;
  proxy.release();

  expect(await arrived).toEqual({ texts: ["question", "another"], isReleased: true });
});

test("the proxy swallows what is sent, and what follows on the same connection, but not on a new one", async () => {
  const { client, server } = await open();
  const heard: string[] = [];
  server.on("data", (chunk) => heard.push(String(chunk)));
  proxy.swallow();
  client.write("lost");
  const blind = await open();
  blind.client.write("lost");
  // Ends pass through, so that both sides hear when everything before was swallowed.
  blind.client.end();
  await once(blind.server.resume(), "end");
  proxy.passAgain();
  client.write("lost as well");
  const fresh = await open();
  fresh.client.end("arrives");

  expect(await text(fresh.server)).toBe("arrives");
  expect(heard).toEqual([]);
});

test("the proxy passes a request on, and resets the connection instead of passing on the reply", async () => {
  const [{ client, server }, other] = [await open(), await open()];
  server.on("data", (chunk) => server.write(`reply to ${String(chunk)}`));
  const heard: string[] = [];
  client.on("data", (chunk) => heard.push(String(chunk)));
  client.write("first");
  await once(client, "data");
  const isCut = proxy.cutBeforeReply("second");
  const failed = once(client, "error");
  client.write("second");
  await isCut;

  expect(await failed).toMatchObject([{ code: "ECONNRESET" }]);
  expect(heard).toEqual(["reply to first"]);
  other.client.end("still open");
  expect(await text(other.server)).toBe("still open");
});

test("the proxy swallows only what belongs to connections that began with a text", async () => {
  const [{ client, server }, other] = [await open(), await open()];
  client.write("subscribe");
  other.client.write("get");
  await Promise.all([once(server, "data"), once(other.server, "data")]);

  expect(proxy.swallowThose("subscribe")).toBe(1);
  server.write("lost");
  other.server.end("arrives");
  expect(await text(other.client)).toBe("arrives");
  server.end();
  expect(await text(client)).toBe("");
});
