import { createServer, tool } from "@toolwire/server";
import { createNodeHandler } from "@toolwire/server/http";
import { serveWebSocket } from "@toolwire/server/websocket";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { modern } from "../http/client.ts";
import { RawConnection, send } from "../http/node/raw-client.ts";
import { FrameClient } from "./frame-client.ts";

const server = createServer({
  name: "fixture",
  version: "1.0.0",
  tools: {
    measure: tool({
      description: "How long a text is",
      input: z.object({ text: z.string() }),
      run: ({ text }) => `${text.length} characters`,
    }),
  },
});

/** Serves over HTTP and WebSocket on one port, and returns where. */
async function serveBoth(
  handler: RequestListener = createNodeHandler(server),
  maxHeadersCount?: number,
): Promise<string> {
  const http = createHttpServer(handler);
  if (maxHeadersCount !== undefined) http.maxHeadersCount = maxHeadersCount;
  await serveWebSocket(server, { server: http, path: "/ws" });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

function measure(length: number): { headers: Record<string, string>; body: string } {
  const { headers, body } = modern("tools/call", { name: "measure", arguments: { text: "\u00e9".repeat(length) } });
  return { headers: Object.fromEntries(headers as [string, string][]), body };
}

/** As Java's HTTP client sends it, unless it is told to stay with HTTP/1.1. */
const UPGRADE = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAEAAEAAAAIAAAAB" };

/** Whether this Node asks before it leaves a request to those who listen for upgrades. */
const ASKS_FIRST = "shouldUpgradeCallback" in createHttpServer();

/** Header fields as they are sent. */
function head(fields: Record<string, string>): string {
  return Object.entries({ host: "localhost", ...fields })
    .map((field) => `${field.join(": ")}\r\n`)
    .join("");
}

describe("a request that would rather speak HTTP/2, where WebSockets are served, too", () => {
  test.each([1, 1_000_000])("is answered in HTTP/1.1, with a body of %d characters", async (length) => {
    const url = await serveBoth();
    const request = measure(length);
    const { status, body } = await send(`${url}/mcp`, { ...request, headers: { ...UPGRADE, ...request.headers } });
    expect([status, body]).toEqual([200, expect.stringContaining(`${length} characters`)]);
  });

  test("keeps its connection, also if the body comes later, and asks again with the next", async () => {
    const connection = await RawConnection.open(await serveBoth());
    onTestFinished(() => void connection.socket.destroy());
    for (const length of [11, 22]) {
      const { headers, body } = measure(length);
      const fields = head({ ...UPGRADE, ...headers, "content-length": `${Buffer.byteLength(body)}` });
      connection.write(`POST /mcp HTTP/1.1\r\n${fields}\r\n{`);
      await new Promise(setImmediate);
      connection.write(body.slice(1));
      await connection.until(`${length} characters`);
    }
    expect(connection.text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
  });

  test.skipIf(ASKS_FIRST)("loses its connection, and is not acted on, if it is sent ahead of an answer", async () => {
    const seen: (string | undefined)[] = [];
    const connection = await RawConnection.open(await serveBoth(({ url }) => void seen.push(url)));
    connection.write(`GET /first HTTP/1.1\r\n${head({})}\r\nGET /second HTTP/1.1\r\n${head(UPGRADE)}\r\n`);
    await connection.closed;
    expect(seen).toEqual(["/first"]);
  });

  test.runIf(ASKS_FIRST)("is answered in its turn if it is sent ahead of an answer", async () => {
    const connection = await RawConnection.open(await serveBoth(({ url }, response) => void response.end(url)));
    onTestFinished(() => void connection.socket.destroy());
    connection.write(`GET /first HTTP/1.1\r\n${head({})}\r\nGET /second HTTP/1.1\r\n${head(UPGRADE)}\r\n`);
    await connection.until("/second");
    expect(connection.text.match(/\/(first|second)/g)).toEqual(["/first", "/second"]);
  });

  test("is left to those who listen for upgrades elsewhere, and answered once WebSockets are not served any more", async () => {
    const http = createHttpServer((_, response) => void response.end("in HTTP/1.1"));
    onTestFinished(() => {
      http.close();
      http.closeAllConnections();
    });
    const endpoint = await serveWebSocket(server, { server: http, path: "/ws" });
    const listener = (_: unknown, socket: Duplex): void => void socket.end("HTTP/1.1 101 Other\r\n\r\n");
    http.on("upgrade", listener);
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const connection = await RawConnection.open(url);
    connection.write(`GET /other HTTP/1.1\r\n${head(UPGRADE)}\r\n`);
    await connection.until("101 Other");
    http.off("upgrade", listener);
    await endpoint.close();
    expect((await send(url, { method: "GET", headers: UPGRADE })).body).toBe("in HTTP/1.1");
  });

  test("has its connection closed behind the answer if it wants that", async () => {
    const connection = await RawConnection.open(await serveBoth());
    connection.write(`GET /mcp HTTP/1.1\r\n${head({ ...UPGRADE, connection: "Upgrade, close" })}\r\n`);
    await connection.until("\r\n\r\n");
    expect(connection.text.toLowerCase()).toContain("connection: close");
    await connection.closed;
  });

  test("is refused where it was, and WebSockets are opened as before", async () => {
    const url = await serveBoth();
    const headers = { ...UPGRADE, host: "evil.example", "content-type": "application/json" };
    expect((await send(`${url}/mcp`, { headers, body: measure(1).body })).status).toBe(403);
    await FrameClient.open(`${url.replace("http", "ws")}/ws`);
  });

  test.each([undefined, 40])(
    "is refused with more header fields than Node keeps (%s), which may tell the length of its body",
    async (kept) => {
      const seen: (string | undefined)[] = [];
      const handler: RequestListener = ({ url }, response) => {
        seen.push(url);
        response.end();
      };
      const connection = await RawConnection.open(await serveBoth(handler, kept));
      const body = "GET /smuggled HTTP/1.1\r\nhost: localhost\r\n\r\n";
      const fields = `${head(UPGRADE)}${"a: b\r\n".repeat(1100)}content-length: ${body.length}`;
      connection.write(`POST /mcp HTTP/1.1\r\n${fields}\r\n\r\n${body}`);
      await connection.until("HTTP/1.1 431");
      await connection.closed;
      expect(seen).toEqual([]);
    },
  );

  test("gets to know of an endpoint of WebSockets alone what it is", async () => {
    const { port, close } = await serveWebSocket(server, { port: 0 });
    onTestFinished(close);
    const answer = await send(`http://127.0.0.1:${port}/ws`, { method: "GET", headers: UPGRADE });
    expect([answer.status, answer.body]).toEqual([426, "This is a WebSocket endpoint."]);
  });
});
