/** A collector on loopback that takes the spans of other processes, as JSON over HTTP. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A span, as far as the tests of guides look at it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly name: string;
  readonly kind: number;
}

interface ExportedSpans {
  readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[] }[];
}

export class Collector {
  readonly #http: Server;
  readonly #spans: ReceivedSpan[] = [];

  private constructor() {
    this.#http = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { resourceSpans = [] } = JSON.parse(Buffer.concat(chunks).toString()) as ExportedSpans;
        for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) this.#spans.push(...spans);
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
    });
  }

  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.#http.listen(0, "127.0.0.1");
    await once(collector.#http, "listening");
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** The names and kinds of all spans that are in one trace with a span of this name, sorted. */
  tracesWith(name: string): string[][] {
    const traces = new Set(this.#spans.filter((span) => span.name === name).map(({ traceId }) => traceId));
    return [...traces].map((trace) =>
      this.#spans
        .filter(({ traceId }) => traceId === trace)
        .map((span) => `${span.name}, ${KINDS[span.kind] ?? span.kind}`)
        .toSorted(),
    );
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, "close");
  }
}

/** By the numbers of the protocol. */
const KINDS: readonly string[] = ["unspecified", "internal", "server", "client"];
