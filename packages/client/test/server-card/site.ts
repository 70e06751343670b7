import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A web site that answers what a test says. */
export interface Site {
  readonly origin: string;
  readonly requests: readonly IncomingMessage[];
}

/** Serves until the test ends. `answer` gets each request. */
export async function openSite(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Site> {
  const requests: IncomingMessage[] = [];
  const http = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => http.once("listening", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, requests };
}

/** Sends JSON. */
export function sendJson(response: ServerResponse, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}
