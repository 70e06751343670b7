import { exchangeContract, type ContractCheck, type ExchangePair } from "@toolwire/protocol/testing";
import { serveHttp, type HttpListener, type ServeHttpOptions } from "@toolwire/server/http";
import { createAnsweringServer } from "./answering-server.ts";

interface HttpPair extends ExchangePair {
  readonly http: HttpListener;
}

/** Makes the contract of a client's transport against a real HTTP server on this machine. */
export function httpContract(
  createTransport: (url: string) => ExchangePair["client"],
  options: ServeHttpOptions = {},
): ContractCheck[] {
  return exchangeContract<HttpPair>({
    async connect(peer) {
      const http = await serveHttp(createAnsweringServer(peer), { port: 0, closeTimeout: 0, ...options });
      return { client: createTransport(http.url), http };
    },
    disconnect: ({ http }) => http.close(),
    stopServer: ({ http }) => http.close(),
    timeout: 20_000,
  });
}
