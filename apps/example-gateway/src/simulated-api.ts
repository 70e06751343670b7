import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An API that runs on this machine only, in place of one on the internet. */
export interface SimulatedApi {
  /** Its address, such as `http://127.0.0.1:49152`. */
  readonly url: string;
  close(): Promise<void>;
}

/** A request to a simulated API, with its body as text. */
export interface ApiRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** The response of a simulated API. The body is sent as JSON. */
export interface ApiResponse {
  readonly status: number;
  readonly body: object;
}

/** The largest body that a simulated API reads. */
const MAX_BODY_BYTES = 64 * 1024;

const TOO_LARGE: ApiResponse = { status: 413, body: { message: "The body is too large" } };

/** Starts an API on a free port of this machine. */
export async function simulateApi(answer: (request: ApiRequest) => ApiResponse): Promise<SimulatedApi> {
  const http = createServer((request, response) => {
    void readBody(request).then((body) => {
      const { method = "", headers } = request;
      const isComplete = body !== undefined;
      send(response, isComplete ? answer({ method, url: readUrl(request), headers, body }) : TOO_LARGE);
    });
  });
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(0, "127.0.0.1", resolve);
  });
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => close(http) };
}

function readUrl(request: IncomingMessage): URL {
  return new URL(request.url ?? "/", "http://127.0.0.1");
}

/** Reads the body of a request; `undefined` if it is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) {
    body += String(chunk);
    if (body.length > MAX_BODY_BYTES) return undefined;
  }
  return body;
}

function send(response: ServerResponse, { status, body }: ApiResponse): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function close(http: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeAllConnections();
  await closed;
}
