import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type HttpOptions, createNodeHandler } from "../../../../src/http.ts";
import { createFixture } from "../fixture-server.ts";
import type { Target } from "../platforms.ts";

/** Serves the fixture on a port whose connections seem to come from the address that each request names. */
export async function serveAddressed(options: HttpOptions): Promise<Target> {
  const handler = createNodeHandler(createFixture().server, options);
  const http = createServer((request, response) => {
    Object.defineProperty(request.socket, "remoteAddress", { value: request.headers["x-from"], configurable: true });
    handler(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await handler.close();
    http.closeAllConnections();
    http.close();
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  return { url, close: () => handler.close(), send: (init) => fetch(url, init) };
}

/** Has a request come from an address. */
export function from(address: string): Record<string, string> {
  return { "x-from": address };
}
