import { connect, type Change } from "@toolwire/client";
import { createServer, tool } from "@toolwire/server";
import { serveWebSocket } from "@toolwire/server/websocket";
import { expect, test } from "vitest";
import { withResolvers } from "../with-resolvers.ts";

function echoServer() {
  return createServer({
    name: "ws",
    version: "1.0.0",
    tools: {
      echo: tool({ description: "Echoes", run: (_, ctx) => ctx.header?.("authorization") ?? "nobody" }),
      large: tool({ description: "Says a lot", run: () => "x".repeat(100_000) }),
    },
  });
}

test("a ws: URL is connected to, with headers, and reconnected to when the server comes back", async () => {
  const server = echoServer();
  const first = await serveWebSocket(server, { port: 0 });
  const client = await connect<typeof server>(first.url, {
    websocket: { headers: () => ({ authorization: "Bearer x" }) },
    reconnect: { delay: 10, attempts: 50 },
    onDiagnostic: () => {},
  });
  expect(client.era).toBe("modern");
  await expect(client.callTool("echo")).resolves.toMatchObject({ content: [{ text: "Bearer x" }] });
  const changed = withResolvers<Change>();
  const resumed = withResolvers<Change>();
  await client.subscribe({ tools: true }, (change) => (change.resumed ? resumed : changed).resolve(change));
  server.tools.add("late", tool({ description: "Late", run: () => "" }));
  expect(await changed.promise).toEqual({ kind: "tools" });

  await first.close();
  const { port } = new URL(first.url);
  const second = await serveWebSocket(echoServer(), { port: Number(port) });
  await expect(client.callTool("echo")).resolves.toMatchObject({ content: [{ text: "Bearer x" }] });
  expect(await resumed.promise).toEqual({ kind: "tools", resumed: true });
  await client.close();
  await second.close();
});

test("a message larger than the limit ends the connection", async () => {
  const running = await serveWebSocket(echoServer(), { port: 0 });
  const client = await connect(running.url, {
    websocket: { maxMessageBytes: 10_000 },
    reconnect: false,
    onDiagnostic: () => {},
  });
  await expect(client.callTool("large")).rejects.toMatchObject({ name: "TransportError" });
  expect(await client.closed).toBeInstanceOf(Error);
  await running.close();
});
