/**
 * The contract between the rules of HTTP and a platform. Two adapters implement it: one for the objects of `node:http`, one
 * for web-standard `Request` and `Response`. Everything between an adapter and the server exists once.
 */
import type { EncodedParts } from "@toolwire/protocol/internal";

/** Alternating names and values of header fields: the form that `node:http` sends fastest. */
export type HeaderList = readonly string[];

/** The headers of every JSON body. */
export const JSON_BODY: HeaderList = ["Content-Type", "application/json"];

/** One HTTP request of a platform, and the way to respond to it. */
export interface HttpRequestAdapter {
  readonly method: string;
  /** Path and query, as in `/mcp?key=value`. */
  readonly target: string;
  /** The path without the prefix that a framework has mounted the handler on. Elsewhere, the path of `target`. */
  readonly routedPath: string;
  /** The platform's own request object. */
  readonly raw: unknown;
  /** The same object for all requests of one connection; `undefined` if the platform does not expose connections. */
  readonly connection: object | undefined;
  /** Whether the connection to this process is encrypted. */
  readonly isEncrypted: boolean;
  /** The IP address of the peer, if the platform exposes it. */
  readonly address: string | undefined;

  /** Looks up a request header by its lower-case name. */
  header(name: string): string | undefined;

  /** Reads the body, at most `limit` bytes of it. Calls back exactly once, or never if the client disconnects. */
  readBody(limit: number, receive: (body: Body | BodyProblem) => void): void;

  /** Sends a whole response. */
  send(status: number, headers: HeaderList, body?: string | EncodedParts): void;

  /** Begins a response whose length is not known yet. */
  stream(headers: HeaderList): ResponseStream;

  /** Whether responses to earlier requests on this connection have to be complete before this one can be sent. */
  readonly isPipelined: boolean;

  /** Calls back when the responses ahead of this one are complete; never, if the connection is lost before. */
  onTurn(listener: () => void): void;

  /**
   * Resolves when all bytes of a complete response have left this process, or are lost. `undefined` if none are left here, or
   * if the platform does not tell.
   */
  readonly unsent: Promise<void> | undefined;

  /**
   * Reports, at most once, that the client disconnected before its response was complete. A further listener replaces the one
   * before. A listener is an object, so that waiting for a response allocates no closure.
   */
  onDisconnect(listener: DisconnectListener): void;
}

/** Hears that a client has disconnected. */
export interface DisconnectListener {
  disconnected(): void;
}

/** The body of a request: its text, or the value that a framework has parsed it into. */
export type Body = { readonly text: string } | { readonly value: unknown };

/** Why a body cannot be read. `gone`: other code has consumed it and has not passed it on. */
export type BodyProblem = "tooLarge" | "notUtf8" | "gone";

/** A response that is sent in pieces. Pieces written after the connection was lost are discarded. */
export interface ResponseStream {
  /** How many bytes wait for the client to read them. */
  readonly queuedBytes: number;
  /** Sends a piece. Returns a promise if the client reads too slowly; it also settles when the client disconnects. */
  write(text: string): void | Promise<void>;
  /** Sends a last piece, unless it is empty, and completes the response. */
  end(text: string): void;
  /** Cuts the connection; queued bytes are lost. */
  destroy(): void;
}
