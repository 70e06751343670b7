/**
 * What the rules of HTTP need of the machinery below them. There are two fronts: `node:http` objects, used as they are,
 * and web-standard `Request` and `Response`. Everything between a front and the server's definition exists once.
 */
import type { EncodedParts } from "@toolwire/protocol/internal";

/** Names and values of header fields in turn: the form that `node:http` sends fastest. */
export type HeaderList = readonly string[];

/** The headers of every JSON body. */
export const JSON_BODY: HeaderList = ["Content-Type", "application/json"];

/** One HTTP request, and the way to answer it. */
export interface HttpFront {
  readonly method: string;
  /** Path and query, as in `/mcp?key=value`. */
  readonly target: string;
  /**
   * The path as a framework routes it: without the part that the handler is mounted on. Elsewhere it is the path of
   * `target`.
   */
  readonly routedPath: string;
  /** The platform's own request. */
  readonly raw: unknown;
  /** The same object for all requests of one connection; `undefined` where the platform does not tell them apart. */
  readonly connection: object | undefined;
  /** The IP address that the connection comes from, if the platform tells. */
  readonly address: string | undefined;

  /** A request header by its lower-case name. */
  header(name: string): string | undefined;

  /** Reads the body, at most `limit` bytes of it. Calls back exactly once, or never if the client goes away. */
  readBody(limit: number, receive: (body: Body | BodyProblem) => void): void;

  /** Sends a whole answer. */
  send(status: number, headers: HeaderList, body?: string | EncodedParts): void;

  /** Begins an answer whose length is not known yet. */
  stream(headers: HeaderList): StreamOut;

  /** Whether answers to earlier requests on the same connection have to be complete before this one can be sent. */
  readonly isBehind: boolean;

  /** Calls back when the answers ahead of this one are complete; never, if the connection is lost before. */
  onTurn(listener: () => void): void;

  /**
   * Resolves when all of a complete answer has left this process, or is lost. `undefined` if nothing of it is left here,
   * or if the platform does not tell.
   */
  readonly unsent: Promise<void> | undefined;

  /**
   * Calls back at most once: if the client goes away before it has been answered completely. A further listener takes the
   * place of the one before.
   */
  onGone(listener: () => void): void;
}

/** The body of a request: its text, or what a framework has read and parsed before. */
export type Body = { readonly text: string } | { readonly value: unknown };

/** Why there is no body. `gone`: somebody else has read it, and has not passed it on. */
export type BodyProblem = "tooLarge" | "notUtf8" | "gone";

/** An answer that is sent piece by piece. Once it was cut off, which nobody may have heard of yet, pieces go nowhere. */
export interface StreamOut {
  /** How many bytes are waiting for the client to read them. */
  readonly queued: number;
  /** Sends a piece. A promise comes back when the client reads too slowly; it also settles when the client is gone. */
  write(text: string): void | Promise<void>;
  /** Sends a last piece, unless it is empty, and completes the answer. */
  end(text: string): void;
  /** Cuts the connection; what is queued is lost. */
  drop(): void;
}
