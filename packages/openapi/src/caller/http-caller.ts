import type { Cancellation } from "@toolwire/server";
import type { HttpRequest } from "../request/http-request.ts";

export type { HttpRequest } from "../request/http-request.ts";

/** The limits of one call. */
export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  /** Ends the call like `signal`, at a lower price. The `RequestCall` that middleware of a server gets is one. */
  readonly cancellation?: Cancellation | undefined;
  /** How many milliseconds the whole call may take, repeated attempts included. */
  readonly timeout: number;
  /** How many bytes of the decoded body are read before the call fails. */
  readonly maxBytes: number;
  /**
   * How often the request may be sent again. GET, HEAD and OPTIONS, PUT and DELETE are repeated after a lost connection
   * and after the statuses 429, 502, 503 and 504; POST and PATCH only if no connection was made, so that nothing is done twice.
   */
  readonly retries: number;
}

/** An HTTP response, read whole and decoded. */
export interface HttpResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: { readonly [name: string]: string };
  readonly body: Uint8Array;
  /** How many requests were sent for it: 1 unless some were repeated. */
  readonly attempts: number;
  /** Milliseconds from the first attempt to the head of the response. */
  readonly firstByteMs: number;
}

/** Sends HTTP requests to APIs, within limits and to allowed addresses only. */
export interface HttpCaller {
  /**
   * Sends a request and reads the response.
   *
   * @throws ToolError with a text for the model if there is no response: refused address, timeout, too large, unreachable
   */
  send(request: HttpRequest, options: SendOptions): Promise<HttpResponse>;
  /** Closes idle connections, and others when their calls are over. */
  close(): Promise<void>;
}
