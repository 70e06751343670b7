import type { DecodeUtf8 } from "@toolwire/protocol/framing";

/**
 * Sends HTTP requests: undici's connection pool in Node, `fetch` everywhere else. What MCP says about HTTP is written
 * once, on top of this.
 */
export interface HttpBackend {
  /** How many connections may be left to streams that no call waits for, without slowing down calls. */
  readonly spareConnections: number;
  /** A decoder that is faster than `TextDecoder`, if the platform has one. */
  readonly decode?: DecodeUtf8 | undefined;
  /** Sends a request. The sink gets `head` once, then any number of `chunk`, then `end`; or `failed` at any point. */
  send(request: HttpRequest, sink: ResponseSink): SentRequest;
  /** Closes idle connections. */
  close(): Promise<void>;
}

/** One HTTP request. */
export interface HttpRequest {
  readonly url: URL;
  readonly method: "POST" | "GET" | "DELETE";
  /** Made for this request alone: a backend may add fields to it. */
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  /**
   * Whether the request must not wait for a free connection: streams that stay open, and messages that the server is
   * waiting for.
   */
  readonly unqueued: boolean;
}

/** Reads a header field of a response. Names are in lower case. */
export type ReadHeader = (name: string) => string | undefined;

/** Gets the parts of an HTTP response. No method may throw. */
export interface ResponseSink {
  head(status: number, header: ReadHeader): void;
  chunk(bytes: Uint8Array): void;
  end(): void;
  failed(error: Error): void;
}

/** A request that a backend is sending, or whose response it is receiving. */
export interface SentRequest {
  /** Closes the connection or stream. Nothing reaches the sink afterwards. */
  abort(): void;
  /** Whether any part of the request may have left this machine. */
  readonly mayBeSent: boolean;
  /**
   * Stops reading the response, and calls back in the next turn of the event loop. Absent: the platform delivers no more than
   * one chunk in a turn.
   */
  pause?(next: () => void): void;
  /** Reads on. */
  resume?(): void;
}
