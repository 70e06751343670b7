import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** An HTTP server on this machine. */
export interface LocalServer {
  /** Such as `http://127.0.0.1:9000`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Listens on a loopback port. The handler is made once the port is known, because an authorization server is made with its own
 * address.
 */
export async function listen(
  port: number,
  createHandler: (url: string) => Promise<RequestListener>,
): Promise<LocalServer> {
  let handle: RequestListener = (_, response) => response.writeHead(503).end();
  const http = createServer((request, response) => handle(request, response));
  http.listen(port, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  handle = await createHandler(url);
  return {
    url,
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}
