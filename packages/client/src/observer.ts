import type { ErrorObject, Implementation, RequestId, Revision } from "@toolwire/protocol";

/**
 * Sees what a client sends and how that ends, for telemetry: give it to `connect` as `observe`. `@toolwire/otel` makes one. It
 * sees every request that leaves the client, below the cache and below middleware: each attempt of a call, each round of questions,
 * and those by which a client connects. It costs nothing where there is none. Its functions are called while a call waits, so they
 * must be quick. An error that one of them throws goes to `onDiagnostic`, and the call goes on.
 *
 * @example
 * ```ts
 * const client = await connect("https://example.com/mcp", {
 *   observe: {
 *     request: ({ method }) => {
 *       const start = performance.now();
 *       return { end: () => console.log(method, performance.now() - start) };
 *     },
 *   },
 * });
 * ```
 */
export interface ClientObserver {
  /** Called for each request, before it is sent. May return what sees the rest of it. */
  request?(request: SentRequest): SentObservation | undefined;
  /** Called for each request of a legacy server, before it is answered. May return what sees the answer. */
  question?(question: ReceivedRequest): AnswerObservation | undefined;
  /** Called when the client has connected. May return what sees the end of the client. */
  session?(session: ConnectedSession): ConnectionObservation | undefined;
}

/** The server at the other end, as far as it is known. */
export interface ObservedServer {
  /** How it is reached: `undefined` for a transport of the application's own. */
  readonly binding: "http" | "websocket" | "stdio" | undefined;
  /** The name or address of its machine, for servers that have a URL. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** The name and version that it gave, once it has answered. Self-reported. */
  readonly info?: Implementation | undefined;
  /** The revision that was agreed on, once it was. */
  readonly revision?: Revision | undefined;
}

/** A request that is about to be sent. */
export interface SentRequest {
  readonly method: string;
  /** The parameters, without what the protocol adds. They may hold arguments of tools, and credentials in them. */
  readonly params: object | undefined;
  readonly server: ObservedServer;
  /**
   * The observation of the request before it, if both belong to one call: it is sent again after a failure, or with answers of the
   * user. It is called from the code that got the response then, not from the code that made the call.
   */
  readonly previous: SentObservation | undefined;
}

/** Sees one request until it is answered, has failed, or is given up. */
export interface SentObservation {
  /** Further members for the `_meta` of the request, such as a trace context. They replace others of the same name. */
  readonly meta?: { readonly [key: string]: unknown } | undefined;
  /** Called with the id of the request when it is sent. */
  sent?(id: RequestId): void;
  /** Called when a subscription was acknowledged: it stays open, maybe for days, and `end` is called at its end. */
  acknowledged?(): void;
  /** Called once. `error` is why there is no result: the error of the server, of the transport, or the reason of a cancellation. */
  end(outcome: { readonly result: object } | { readonly error: unknown }): void;
}

/** A request of a legacy server: a question to the user or the model, or a `ping`. */
export interface ReceivedRequest {
  readonly method: string;
  readonly params: object | undefined;
  readonly id: RequestId;
  readonly server: ObservedServer;
}

/** Sees one request of a server until it is answered or cancelled. */
export interface AnswerObservation {
  /** Runs the work of answering, so that handlers have a context of the observer's: it calls `work` at once. */
  run?(work: () => void): void;
  /** Called once. An error is what the server gets. `cancelled`: it gets nothing, because it wants no answer any more. */
  end(outcome: { readonly result: object } | { readonly error: ErrorObject } | "cancelled"): void;
}

/** A client that has connected. */
export interface ConnectedSession {
  readonly server: ObservedServer;
}

/** Sees the end of a client. It may have connected anew meanwhile. */
export interface ConnectionObservation {
  /** Called once. `error` is why it ended, unless `close()` was called. */
  end(error: unknown): void;
}
