/**
 * The contract between transports and authorization. Transports know nothing of OAuth: they ask for header fields before a
 * request, and what to do when a server refuses it. Everything else is in `auth/`, which only those load who use it.
 */
import { AuthError, UsageError } from "@toolwire/protocol";
import type { HttpTransportOptions } from "./http/options.ts";

/** The server that requests are for, and how it is reached. */
export interface AuthServer {
  /** Its address, with the scheme `http:` or `https:` even if it speaks WebSocket. */
  readonly url: URL;
  /** How the application reaches the network: its own `fetch`, and its certificates. */
  readonly http: Pick<HttpTransportOptions, "fetch" | "connect">;
}

/** An HTTP request that needs credentials. */
export interface AuthRequest {
  /** Where it is sent, after redirects, with the scheme `http:` or `https:`. */
  readonly url: URL;
  readonly method: string;
  readonly server: AuthServer;
}

/** Header fields that carry credentials. Names are in lower case. */
export type AuthFields = Readonly<Record<string, string>>;

/** A request that a server refused with status 401 or 403. It was not executed. */
export interface AuthRefusal {
  readonly request: AuthRequest;
  readonly status: number;
  /** Reads a header field of the response. Names are in lower case. */
  readonly header: (name: string) => string | undefined;
  /** The fields that the request was sent with. */
  readonly sent: AuthFields;
  /** The earlier refusals of the same request, the first one first. */
  readonly previous: readonly AuthRefusal[];
}

/** Gives requests their credentials, and knows how to get better ones. `@toolwire/client/auth` has what most need. */
export interface ClientAuth {
  /** The header fields of a request. Return them at once where possible, so that calls are not delayed. */
  prepare(request: AuthRequest): AuthFields | Promise<AuthFields>;
  /** Sees the head of every response, with the fields that its request was sent with. */
  answered?(request: AuthRequest, status: number, header: (name: string) => string | undefined, sent: AuthFields): void;
  /**
   * Called when a request was refused with 401 or 403. Resolves if it should be sent again, with new fields; rejects with
   * an `AuthError` if that is of no use. The signal aborts when nobody waits for the request any more.
   */
  challenged(refusal: AuthRefusal, options: { readonly signal: AbortSignal }): Promise<void>;
  /** Extensions of the protocol that clients with such credentials declare. */
  readonly extensions?: Readonly<Record<string, Readonly<Record<string, never>>>> | undefined;
  /**
   * Calls back when requests to this server may be made for another user from now on. Returns a function that ends this.
   */
  onAccount?(server: AuthServer, listener: () => void): () => void;
}

/** How often one request is sent again, whatever the provider says. */
const MAX_REFUSALS = 8;

/** The credentials of one request, for as often as it is sent. */
export class RequestAuth {
  readonly #auth: ClientAuth;
  readonly #server: AuthServer;
  #request!: AuthRequest;
  #sent: AuthFields = {};
  #refusals: readonly AuthRefusal[] = [];

  constructor(auth: ClientAuth, server: AuthServer) {
    this.#auth = auth;
    this.#server = server;
  }

  /** The header fields for the next sending. */
  fields(url: URL, method: string): AuthFields | Promise<AuthFields> {
    this.#request = { url, method, server: this.#server };
    const fields = this.#auth.prepare(this.#request);
    return isPromise(fields) ? fields.then((now) => this.#keep(now)) : this.#keep(fields);
  }

  /** The head of a response has come. */
  answered(status: number, header: (name: string) => string | undefined): void {
    this.#auth.answered?.(this.#request, status, header, this.#sent);
  }

  /** Resolves if the request should be sent again. */
  async refused(status: number, header: (name: string) => string | undefined, signal: AbortSignal): Promise<void> {
    const previous = this.#refusals;
    const refusal: AuthRefusal = { request: this.#request, status, header, sent: this.#sent, previous };
    if (previous.length >= MAX_REFUSALS) {
      const message = `${this.#request.url.origin} refused the same request ${previous.length + 1} times, with various credentials.`;
      throw new AuthError("UNAUTHORIZED", message, { challenge: header("www-authenticate") });
    }
    this.#refusals = [...previous, refusal];
    await this.#auth.challenged(refusal, { signal });
  }

  #keep(fields: AuthFields): AuthFields {
    this.#sent = fields;
    return fields;
  }
}

/** Whether a status means that a request was refused for its credentials. */
export function isAuthRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

/** Throws if an application gives credentials in two ways: only one of them could be sent. */
export function refuseSecondCredentials(headers: object | undefined): void {
  if (headers === undefined || !("authorization" in headers)) return;
  const message = "The option `auth` sends the header `authorization`: leave it out of `headers`, or leave out `auth`.";
  throw new UsageError("INVALID_ARGUMENT", message);
}

/** The address of a server as HTTP has it: a WebSocket begins with an HTTP request to it. */
export function httpUrlOf(url: URL): URL {
  if (!url.protocol.startsWith("ws")) return url;
  const http = new URL(url);
  http.protocol = url.protocol === "wss:" ? "https:" : "http:";
  return http;
}

/** Authorization whose waiting time is counted, because it must not count for timeouts of calls. */
export interface TimedAuth extends ClientAuth {
  /** The milliseconds so far in which any request waited for credentials. */
  readonly pausedTime: () => number;
}

/** Counts the time in which requests wait for credentials: a login takes a person some minutes. */
export function timeAuth(auth: ClientAuth): TimedAuth {
  if ("pausedTime" in auth) return auth as TimedAuth;
  let waiting = 0;
  let since = 0;
  let total = 0;
  const wait = async <T>(work: Promise<T>): Promise<T> => {
    if (waiting++ === 0) since = performance.now();
    try {
      return await work;
    } finally {
      if (--waiting === 0) total += performance.now() - since;
    }
  };
  return {
    prepare(request) {
      const fields = auth.prepare(request);
      return isPromise(fields) ? wait(fields) : fields;
    },
    answered: (request, status, header, sent) => auth.answered?.(request, status, header, sent),
    challenged: (refusal, options) => wait(auth.challenged(refusal, options)),
    extensions: auth.extensions,
    ...(auth.onAccount !== undefined && { onAccount: (server, listener) => auth.onAccount!(server, listener) }),
    pausedTime: () => (waiting === 0 ? total : total + performance.now() - since),
  };
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>>).then === "function";
}
