import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** One request as a scripted server saw it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  /** The parsed body, if there was one. */
  readonly message: { id?: number; method?: string; params?: Record<string, unknown>; result?: unknown } | undefined;
}

/** Starts an HTTP server on a free loopback port for the length of one test. */
export async function listen(
  answer: (seen: Seen, response: ServerResponse, request: IncomingMessage) => void,
): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const listener: RequestListener = (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const entry: Seen = {
        method,
        url,
        headers,
        message: body === "" ? undefined : (JSON.parse(body) as Seen["message"]),
      };
      seen.push(entry);
      answer(entry, response, request);
    });
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen };
}

/** Answers with one JSON text. */
export function sendJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** Begins a stream of server-sent events. */
export function openEvents(
  response: ServerResponse,
  headers: Record<string, string> = {},
): (message: unknown, fields?: string) => void {
  response.writeHead(200, { "content-type": "text/event-stream", ...headers });
  response.flushHeaders();
  return (message, fields = "") =>
    void response.write(`${fields}data: ${message === "" ? "" : JSON.stringify(message)}\n\n`);
}
