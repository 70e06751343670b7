import type { HttpBackend, HttpRequest, ResponseSink } from "./backend.ts";
import { explainSendFailure } from "./errors.ts";
import { type Fetch, type HttpTransportOptions, refuseNodeOptions } from "./options.ts";

/** Makes the backend of platforms without a connection pool of their own, such as browsers, edge runtimes and Bun. */
export function createPlatformBackend(options: HttpTransportOptions): HttpBackend {
  refuseNodeOptions(options, "which this platform does not have: leave it out");
  return createFetchBackend();
}

/** Makes a backend that sends by `fetch`: that of the platform, or a given one. */
export function createFetchBackend(send: Fetch = (url, init) => fetch(url, init)): HttpBackend {
  return {
    // Browsers open six connections to an origin, and the standalone stream of a session takes one.
    spareConnections: 2,
    send(request, sink) {
      const aborter = new AbortController();
      const { signal } = aborter;
      transfer(send, request, sink, signal).catch((cause: unknown) => {
        if (!signal.aborted) sink.failed(explainSendFailure(request, cause));
      });
      return {
        mayBeSent: true,
        abort: () => aborter.abort(),
      };
    },
    async close() {},
  };
}

async function transfer(
  send: Fetch,
  { url, method, headers, body }: HttpRequest,
  sink: ResponseSink,
  signal: AbortSignal,
): Promise<void> {
  const response = await send(url, {
    method,
    headers,
    signal,
    // Redirects are followed by `HttpExchange`, so that credentials stay with their origin.
    redirect: "manual",
    body: body ?? null,
  });
  if (signal.aborted) return;
  sink.head(response.status, (name) => response.headers.get(name) ?? undefined);
  if (response.body !== null) {
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (signal.aborted) return;
      if (done) break;
      sink.chunk(value);
    }
  }
  sink.end();
}
