import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { NotificationMessage } from "@toolwire/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import type { HttpTransportOptions } from "../../../src/http.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { listen } from "./listen.ts";
import { createFetchTransport, createUndiciTransport } from "./backends.ts";

const NEWS: NotificationMessage = { jsonrpc: "2.0", method: "notifications/news" };

describe.each([
  ["fetch", createFetchTransport],
  ["undici", createUndiciTransport],
] as const)("a notification by %s", (_, create) => {
  function open(url: string, options: Omit<HttpTransportOptions, "fetch"> = {}) {
    const transport = create(url, options);
    void transport.open({});
    onTestFinished(() => transport.close());
    return transport;
  }

  it("a notification that is not acknowledged ends with the transport", async () => {
    const arrived = withResolvers<ServerResponse>();
    const { url } = await listen((__, response) => arrived.resolve(response));
    const transport = open(url);
    const notified = expect(transport.notify(NEWS)).rejects.toMatchObject({ code: "CLOSED" });
    const cut = once(await arrived.promise, "close");
    await transport.close();
    await notified;
    await cut;
  });

  it("a notification that is not acknowledged in time is given up", async () => {
    const { url } = await listen(() => {});
    await expect(open(url, { acknowledgeTimeout: 20 }).notify(NEWS)).rejects.toMatchObject({
      code: "TIMEOUT",
      message: expect.stringContaining("20 ms") as string,
    });
  });

  it("a notification that cannot be encoded is not sent", async () => {
    const { url, seen } = await listen((__, response) => response.writeHead(202).end());
    await expect(open(url).notify({ ...NEWS, params: { n: 1n } })).rejects.toThrow("BigInt");
    expect(seen).toEqual([]);
  });

  it("a notification that ends a handshake may take as long as connecting may", async () => {
    const arrived = withResolvers<ServerResponse>();
    const { url } = await listen(({ message }, response) => {
      if (message?.method === "notifications/initialized") arrived.resolve(response);
    });
    const transport = open(url, { acknowledgeTimeout: 20 });
    const ready = transport.notify({ jsonrpc: "2.0", method: "notifications/initialized" });
    const response = await arrived.promise;
    await expect(transport.notify(NEWS)).rejects.toMatchObject({ code: "TIMEOUT" });
    response.writeHead(202).end();
    await ready;
  });

  it("a notification whose headers come after the end is not sent any more", async () => {
    const { url, seen } = await listen((__, response) => response.writeHead(202).end());
    const headers = withResolvers<Record<string, string>>();
    const transport = open(url, { headers: () => headers.promise });
    const notified = expect(transport.notify(NEWS)).rejects.toMatchObject({ code: "CLOSED" });
    await transport.close();
    headers.resolve({});
    await notified;
    // The later request has arrived, so the earlier one would have, too.
    await open(url).notify(NEWS);
    expect(seen).toHaveLength(1);
  });
});
