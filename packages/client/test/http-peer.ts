import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it arrived. */
export interface HttpCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON of the body, if there was any. */
  readonly body:
    | { readonly id?: number; readonly method?: string; readonly params?: Record<string, unknown> }
    | undefined;
}

/** The answer to send: a status with JSON or text, or events that stay open. */
export interface HttpAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly text?: string;
  /** Keeps the answer open as a stream of events, and hands over the pen. */
  readonly stream?: (write: (text: string) => void) => void;
}

/** A real HTTP server on a real port, with a script. */
export interface HttpPeer {
  readonly url: string;
  readonly calls: HttpCall[];
  /** The JSON-RPC methods that were POSTed. */
  methods(): (string | undefined)[];
  close(): Promise<void>;
}

export async function httpPeer(answer: (call: HttpCall) => HttpAnswer | Promise<HttpAnswer>): Promise<HttpPeer> {
  const calls: HttpCall[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const body = text === "" ? undefined : (JSON.parse(text) as HttpCall["body"]);
      const call: HttpCall = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
      calls.push(call);
      void Promise.resolve(answer(call)).then(({ status = 200, headers = {}, json, text: plain = "", stream }) => {
        if (stream !== undefined) {
          response.writeHead(status, { "content-type": "text/event-stream", ...headers });
          stream((piece) => response.write(piece));
        } else if (json !== undefined) {
          response.writeHead(status, { "content-type": "application/json", ...headers });
          response.end(JSON.stringify(json));
        } else response.writeHead(status, headers).end(plain);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls,
    methods: () => calls.filter(({ method }) => method === "POST").map(({ body }) => body?.method),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The answer that carries a result. */
export function result({ body }: HttpCall, value: object, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return { headers, json: { jsonrpc: "2.0", id: body?.id, result: value } };
}

/** The answer that carries an error. */
export function error(
  { body }: HttpCall,
  status: number,
  code: number,
  data?: unknown,
  id: unknown = body?.id,
): HttpAnswer {
  return { status, json: { jsonrpc: "2.0", id, error: { code, message: "no", ...(data !== undefined && { data }) } } };
}
