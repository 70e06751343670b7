import type { MalformedMessage, NotificationMessage, RequestMessage, ResponseMessage } from "@toolwire/protocol";
import * as olderEras from "../../older-http-eras.ts";
import type { HttpRequestAdapter } from "./adapter.ts";
import type { HttpEndpoint } from "./endpoint.ts";
import type { HttpRequest } from "./request.ts";

/**
 * The part of an HTTP endpoint that serves an older era of the protocol. The endpoint itself serves the modern era, and
 * offers everything else to the older one. Without an older era, the endpoint refuses it by the rules of the modern era.
 */
export interface HttpEra {
  /** The paths that this era adds to the endpoint's own, if it adds any. */
  readonly ownPaths: OwnPaths | undefined;

  /** Handles an HTTP request without a body. Returns false if the era has no meaning for it. */
  acceptBodiless(request: HttpRequest): boolean;

  /** Serves a JSON-RPC request that does not claim to be modern. */
  acceptRequest(request: HttpRequest, message: RequestMessage): void;

  /** Handles a notification. Returns false if it does not belong to this era. */
  acceptNotification(request: HttpRequest, message: NotificationMessage): boolean;

  /** Handles a JSON-RPC response of the client. Returns false if it does not belong to this era. */
  acceptResponse(request: HttpRequest, message: ResponseMessage): boolean;

  /** Handles an array of messages. */
  acceptBatch(request: HttpRequest, items: readonly unknown[]): void;

  /** Takes note of a body that is not a message. The endpoint refuses it. */
  noteMalformed(request: HttpRequest, error: MalformedMessage): void;

  /**
   * Whether work in flight may need this request to finish while the endpoint is closing. `value` is the parsed body, once it
   * was read.
   */
  isAwaited(request: HttpRequest, value: unknown): boolean;

  /** Whether work in flight may need clients to open further connections. */
  readonly needsConnections: boolean;

  /** Begins to close: ends everything that would stay open for ever. Resolves when work outside of requests has ended. */
  beginClose(): Promise<void>;

  /** Ends all state, once no request is in flight. */
  close(): Promise<void>;
}

/** Paths beside that of the endpoint. */
export interface OwnPaths {
  /** Whether a request asks for one of them. */
  includes(adapter: HttpRequestAdapter): boolean;

  /** Handles a request for one of them. */
  accept(request: HttpRequest): void;
}

/**
 * Makes the older era of an endpoint, from the option `legacy`. Returns `undefined` if the server speaks no revision of it,
 * or if the option turns it off.
 */
export type HttpEraFactory<Options> = (
  endpoint: HttpEndpoint,
  options: Options | false | undefined,
) => HttpEra | undefined;

/** The options of the older era. Without an older era, there are none. */
export type OlderHttpOptions = typeof olderEras extends {
  readonly createLegacyHttpEra: HttpEraFactory<infer Options>;
}
  ? Options
  : never;

/** Makes the older era of endpoints, if there is one. */
export const createOlderEra: HttpEraFactory<OlderHttpOptions> | undefined = (
  olderEras as { readonly createLegacyHttpEra?: HttpEraFactory<OlderHttpOptions> }
).createLegacyHttpEra;
