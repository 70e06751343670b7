/**
 * How bytes travel: the one thing in which `fetch` and a Node connection pool differ. Everything MCP says about HTTP
 * stands on this, once.
 */
export interface HttpPort {
  /** How many connections may be kept by streams that nobody waits for any more: those that calls can do without. */
  readonly spareConnections: number;
  /** Sends a request. The sink hears `head` once, then any number of `chunk`, then `end`; or `failed` at any point. */
  send(request: HttpRequest, sink: HttpSink): HttpExchange;
  /** Lets go of idle connections. */
  close(): Promise<void>;
}

/** One HTTP request. */
export interface HttpRequest {
  readonly url: URL;
  readonly method: "POST" | "GET" | "DELETE";
  /** The request's own: a port may add to them. */
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  /** Never waits behind other requests: streams that stay open, and answers that the server is waiting for. */
  readonly unqueued: boolean;
}

/** Where an answer arrives. None of these throws. */
export interface HttpSink {
  head(status: number, header: (name: string) => string | undefined): void;
  chunk(bytes: Uint8Array): void;
  end(): void;
  failed(error: Error): void;
}

/** A request under way. */
export interface HttpExchange {
  /** Closes the connection or stream. Nothing reaches the sink afterwards. */
  abort(): void;
  /** Whether any of it may have been sent. */
  readonly mayBeSent: boolean;
}
