import { createPlatformBackend } from "#http-backend";
import { readServerUrl } from "../../server-url.ts";
import { type AuthServer, RequestAuth, timeAuth, type TimedAuth } from "../client-auth.ts";
import { SentSecrets } from "../sent-secrets.ts";
import type { HttpBackend, HttpRequest } from "./backend.ts";
import { HttpExchange } from "./exchange.ts";
import { createFetchBackend } from "./fetch-backend.ts";
import type { MessageSink } from "./message-sink.ts";
import { type HttpTransportOptions, refuseNodeOptions } from "./options.ts";

/** Makes a client for a server, with the backend that its options ask for. Throws a `UsageError` for a bad URL. */
export function createHttpClient(url: string | URL, options: HttpTransportOptions): HttpClient {
  return new HttpClient(readServerUrl(url, ["http:", "https:"]), options, createBackend(options));
}

function createBackend(options: HttpTransportOptions): HttpBackend {
  if (options.fetch === undefined) return createPlatformBackend(options);
  refuseNodeOptions(options, "which `fetch` replaces: leave out one of them");
  return createFetchBackend(options.fetch);
}

/** The address of a server, and everything that requests to it have in common. */
export class HttpClient {
  /** Where requests go. A permanent redirect changes it. */
  url: URL;
  readonly options: HttpTransportOptions;
  readonly backend: HttpBackend;
  /** Gives requests their credentials. */
  readonly auth: TimedAuth | undefined;
  /** The credentials of all its requests. */
  readonly secrets: SentSecrets;
  readonly #server: AuthServer;

  constructor(
    url: URL,
    options: HttpTransportOptions,
    backend: HttpBackend,
    server: AuthServer = { url, http: options },
    secrets: SentSecrets = new SentSecrets(),
  ) {
    this.url = url;
    this.options = options;
    this.backend = backend;
    this.auth = options.auth && timeAuth(options.auth);
    this.secrets = secrets;
    secrets.seeUrl(url);
    this.#server = server;
  }

  /** Makes a client for another address of the same server, with the same connections and credentials. */
  at(url: URL): HttpClient {
    return new HttpClient(url, { ...this.options, auth: this.auth }, this.backend, this.#server, this.secrets);
  }

  /** The credentials of one request; `undefined` if the application has none, or sends them by itself. */
  authorize(): RequestAuth | undefined {
    return this.auth && new RequestAuth(this.auth, this.#server);
  }

  /** Makes an exchange that is not sent yet. */
  prepare(
    method: HttpRequest["method"],
    headers: Record<string, string>,
    body: string | undefined,
    unqueued: boolean,
    sink: MessageSink,
  ): HttpExchange {
    return new HttpExchange(this, { url: this.url, method, headers, body, unqueued }, sink);
  }

  /** Sends a request that must not wait for a free connection. */
  send(
    method: HttpRequest["method"],
    headers: Record<string, string>,
    body: string | undefined,
    sink: MessageSink,
  ): HttpExchange {
    const exchange = this.prepare(method, headers, body, true, sink);
    exchange.start();
    return exchange;
  }
}
