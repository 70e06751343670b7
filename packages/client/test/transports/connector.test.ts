import { connect as connectSocket } from "node:net";
import { connect, type ConnectionTarget, type HttpConnector } from "@toolwire/client";
import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { serveWebSocket } from "@toolwire/server/websocket";
import { expect, onTestFinished, test } from "vitest";

const server = createServer({
  name: "reached",
  version: "1.0.0",
  tools: { hello: tool({ description: "Says hello", run: () => "Hello." }) },
});

/** Connects to this machine whatever the host, and writes down where it was to connect to. */
function connectorTo(port: number): { connector: HttpConnector; targets: ConnectionTarget[] } {
  const targets: ConnectionTarget[] = [];
  const connector: HttpConnector = (target, callback) => {
    targets.push(target);
    const socket = connectSocket(port, "127.0.0.1");
    socket.once("connect", () => callback(null, socket));
    socket.once("error", (error) => callback(error, null));
  };
  return { connector, targets };
}

test("a function can open the connections of an HTTP client", async () => {
  const serving = await serveHttp(server, { port: 0, allowedHosts: ["tools.example"] });
  onTestFinished(() => serving.close());
  const { connector, targets } = connectorTo(serving.port);
  const client = await connect("http://tools.example/mcp", { http: { connect: connector } });
  onTestFinished(() => client.close());
  await expect(client.callTool("hello")).resolves.toMatchObject({ content: [{ text: "Hello." }] });
  expect(targets[0]).toMatchObject({ hostname: "tools.example", protocol: "http:", port: "" });
});

test("a function can open the connection of a WebSocket", async () => {
  const serving = await serveWebSocket(server, { port: 0, allowedHosts: ["tools.example"] });
  onTestFinished(() => serving.close());
  const { connector, targets } = connectorTo(serving.port);
  const client = await connect("ws://tools.example:81/ws", { websocket: { connect: connector } });
  onTestFinished(() => client.close());
  await expect(client.callTool("hello")).resolves.toMatchObject({ content: [{ text: "Hello." }] });
  expect(targets).toEqual([{ hostname: "tools.example", protocol: "http:", port: "81" }]);
});

test("a connection that the function refuses is not made, and the error says why", async () => {
  const refuse: HttpConnector = ({ hostname }, callback) => callback(new Error(`no way to ${hostname}`), null);
  const options = { http: { connect: refuse }, websocket: { connect: refuse } };
  for (const url of ["http://tools.example/mcp", "ws://[::1]:81/ws"]) {
    const host = url.startsWith("http") ? "tools.example" : "::1";
    await expect(connect(url, options)).rejects.toMatchObject({
      code: "CONNECT_FAILED",
      message: expect.stringContaining(`no way to ${host}`) as string,
    });
  }
});
