import { createHttpTransport, createSsePairChannel } from "@toolwire/client/http";
import { createNodeHttpTransport } from "@toolwire/client/node";
import { Multiplexer } from "@toolwire/protocol/internal";
import { exchangeContract, registerContract, type ExchangePair } from "@toolwire/protocol/testing";
import { serveInMemory } from "@toolwire/server/memory";
import { serveHttp, type HttpServing, type ServeHttpOptions } from "@toolwire/server/node";
import { describe, it } from "vitest";
import { createAnsweringServer } from "./answering-server.ts";

interface HttpPair extends ExchangePair {
  readonly http: HttpServing;
}

/** The contract of a client's transport against a real HTTP server on this machine. */
function httpContract(
  createTransport: (url: string) => ExchangePair["client"],
  options: ServeHttpOptions = {},
): ReturnType<typeof exchangeContract> {
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

registerContract("Streamable HTTP by fetch", httpContract(createHttpTransport), { describe, it });

registerContract("Streamable HTTP by undici", httpContract(createNodeHttpTransport), { describe, it });

registerContract(
  "Streamable HTTP with event streams alone",
  httpContract(createNodeHttpTransport, { responseMode: "sse" }),
  { describe, it },
);

registerContract(
  "The HTTP+SSE pair of 2024-11-05",
  httpContract((url) => new Multiplexer(createSsePairChannel(new URL("/sse", url))), { legacySse: true }),
  { describe, it },
);

registerContract(
  "serveInMemory",
  exchangeContract({
    connect: (peer) => ({ client: new Multiplexer(serveInMemory(createAnsweringServer(peer))) }),
    timeout: 20_000,
  }),
  { describe, it },
);
