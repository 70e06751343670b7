import { TransportError } from "@toolwire/protocol";
import type { HttpPort, HttpRequest, HttpSink } from "./backend.ts";

/** Any function with the shape of the global `fetch`. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

/** Sends by `fetch`: for browsers, edge runtimes, and whoever brings a `fetch` of their own. */
export function createFetchPort(send: Fetch = (url, init) => fetch(url, init)): HttpPort {
  return {
    // Browsers have six to each origin, and the stream of a session takes one.
    spareConnections: 2,
    send(request, sink) {
      const aborter = new AbortController();
      const { signal } = aborter;
      transfer(send, request, sink, signal).catch(async (cause: unknown) => {
        const failure = await explain(request, cause);
        if (!signal.aborted) sink.failed(failure);
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
  sink: HttpSink,
  signal: AbortSignal,
): Promise<void> {
  const response = await send(url, {
    method,
    headers,
    signal,
    // The binding follows redirects itself, so that credentials stay with their origin.
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

/** What went wrong is found out by a part that is loaded then; where the network is down, that may fail as well. */
function explain(request: HttpRequest, cause: unknown): Promise<Error> {
  return import("../../parts/later.ts").then(
    ({ toSendFailure }) => toSendFailure(request, cause),
    () => new TransportError("CONNECTION_LOST", `The connection to ${request.url.origin} failed.`, { cause }),
  );
}
