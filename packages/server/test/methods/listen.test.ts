/** The memory that an open subscription may keep: its client decides how long it stays open. */
import { describe, expect, onTestFinished, test } from "vitest";
import { createServer, resource, type ServerMiddleware, type Server } from "../../src/index.ts";
import { serveHttp } from "../../src/http.ts";
import { modern } from "../bindings/http/client.ts";
import { memoryUsed } from "../memory-used.ts";
import { RawConnection } from "../bindings/http/node/raw-client.ts";
import { ModernClient } from "../wire-client.ts";

const ACK = "notifications/subscriptions/acknowledged";

function define(middleware: ServerMiddleware[] = []): Server {
  const read = (): string => "";
  return createServer({
    name: "notes",
    version: "1",
    middleware,
    resources: { note: resource({ template: "notes://{+name}", read }) },
  });
}

/** The resources that a subscription to these ones agrees on. */
async function watch(client: ModernClient, resourceSubscriptions: string[]): Promise<string[]> {
  const count = client.notifications(ACK).length;
  client.start("subscriptions/listen", { notifications: { resourceSubscriptions } });
  const { params } = await client.notification(ACK, count + 1);
  return params.notifications.resourceSubscriptions as string[];
}

const uriOf = (length: number, name: string | number = "a"): string => `notes://${name}`.padEnd(length, "x");

describe("subscriptions/listen", () => {
  test("leaves out URIs that are too long for any resource, and says so by what it acknowledges", async () => {
    const client = new ModernClient(define());
    const [short, longest] = ["notes://short", uriOf(8192)];
    expect(await watch(client, [uriOf(8193), short, uriOf(200_000), longest])).toEqual([short, longest]);
  });

  test("takes URIs of so many characters in all, the first ones", async () => {
    const client = new ModernClient(define());
    const uris = Array.from({ length: 400 }, (_, n) => uriOf(1000, n));
    expect(await watch(client, uris)).toEqual(uris.slice(0, 262));
  });

  test.each([
    ["parameters", "id", { notifications: { resourceSubscriptions: [uriOf(530_000)] } }],
    ["metadata", "id", { notifications: {}, _meta: { "example.com/more": "x".repeat(530_000) } }],
    ["an id", "x".repeat(530_000), { notifications: {} }],
  ])("refuses %s that would take too much memory for as long as the stream is open", async (_what, id, params) => {
    const client = new ModernClient(define());
    await expect(client.start("subscriptions/listen", params, id).response).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("524288 characters"),
    });
  });

  test("keeps nothing of what its client has sent but what it needs", async () => {
    // Middleware keeps what it was called with, too.
    const around: ServerMiddleware = async (_call, next) => next();
    const http = await serveHttp(define([around, around]), { port: 0 });
    onTestFinished(() => http.close());
    const open = async (): Promise<void> => {
      // Objects take many times more memory than their text.
      const capabilities = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`x${n}`, {}]));
      const meta = { "io.modelcontextprotocol/clientCapabilities": capabilities };
      const notifications = { resourceSubscriptions: [uriOf(10_000), "notes://short"] };
      const { headers, body } = modern("subscriptions/listen", { notifications }, { meta });
      const fields = [...new Headers(headers)].map(([name, value]) => `${name}: ${value}\r\n`).join("");
      const connection = await RawConnection.open(http.url);
      onTestFinished(() => void connection.socket.destroy());
      connection.write(
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`,
      );
      await connection.until("acknowledged");
    };
    await open();
    const before = memoryUsed();
    for (let times = 0; times < 20; times += 1) await open();
    // Each has sent about 250 KB.
    expect(memoryUsed() - before).toBeLessThan(4_000_000);
  });
});
