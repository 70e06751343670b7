import {
  type Exchange,
  type ExchangeHints,
  type Exchanger,
  type ExchangeSink,
  type ExchangeTransport,
  type NotificationMessage,
  type PeerHandlers,
  type RequestMessage,
} from "@toolwire/protocol";
import { closedError, PooledSet } from "@toolwire/protocol/internal";
import { checkOptions } from "../../check-options.ts";
import type { SendsSecrets } from "../sent-secrets.ts";
import { createHttpClient, type HttpClient } from "./client.ts";
import { explainFailure, reportUnrelated } from "./errors.ts";
import { modernHeaders, postHeaders, revisionOf } from "./headers.ts";
import type { HttpTransportOptions } from "./options.ts";
import { MessagePoster } from "./post-message.ts";
import { PostedRequest, type RequestContext } from "./post-request.ts";

/**
 * Opens what an older era adds to Streamable HTTP, for one transport. It gets all messages that do not name their
 * revision, as modern ones do, and shares the address, the options and the connections of the transport.
 */
export type HttpEra = (client: HttpClient, handlers: PeerHandlers) => Exchanger;

/** Makes a transport for Streamable HTTP. `olderEra` gets the messages that name no revision. */
export function openHttpTransport(
  url: string | URL,
  options: HttpTransportOptions,
  olderEra: HttpEra | undefined,
): ExchangeTransport {
  return new HttpTransport(createHttpClient(url, options), olderEra);
}

/** Streamable HTTP: every message is a POST, whose response is JSON or a stream of events. */
export class HttpTransport implements ExchangeTransport, SendsSecrets {
  readonly hasHeaders = true;
  readonly #client: HttpClient;
  readonly #openOlderEra: HttpEra | undefined;
  #olderEra: Exchanger | undefined;
  #context: RequestContext;
  #poster: MessagePoster | undefined;
  #closing: Promise<void> | undefined;

  constructor(client: HttpClient, olderEra?: HttpEra) {
    this.#client = client;
    this.#openOlderEra = olderEra;
    this.#context = { client, handlers: {}, open: new PooledSet() };
  }

  /** Rejects if an option is not what its type says, such as a limit that is not a number. */
  async open(handlers: PeerHandlers): Promise<void> {
    this.#context = { ...this.#context, handlers };
    checkOptions(this.#client.options);
  }

  exchange(request: RequestMessage, sink: ExchangeSink, hints?: ExchangeHints): Exchange {
    const revision = revisionOf(request);
    if (revision === undefined) {
      const olderEra = this.#findOlderEra();
      if (olderEra !== undefined) return olderEra.exchange(request, sink, hints);
    }
    const posted = new PostedRequest(this.#context, request, sink);
    if (this.#closing !== undefined) queueMicrotask(() => posted.fail(closedError()));
    else posted.start(revision === undefined ? postHeaders() : modernHeaders(request, revision, hints?.headers));
    return posted;
  }

  async notify(message: NotificationMessage): Promise<void> {
    const revision = revisionOf(message);
    const olderEra = revision === undefined ? this.#findOlderEra() : undefined;
    if (olderEra !== undefined) {
      await olderEra.notify(message);
      return;
    }
    if (this.#closing !== undefined) throw closedError();
    const headers = revision === undefined ? postHeaders() : modernHeaders(message, revision);
    const { handlers } = this.#context;
    this.#poster ??= new MessagePoster(this.#client, {
      message: (received) => reportUnrelated(received, handlers),
      violation: (error) => handlers.violation?.(error),
    });
    await this.#poster.send(message, headers, {
      explain(response, url) {
        // Servers need not know any notification, but the reason that they give is worth reading.
        if (response.error !== undefined) reportUnrelated(response.error, handlers);
        return explainFailure(response, url);
      },
    });
  }

  clear(text: string): string {
    return this.#client.secrets.clear(text);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** The part for an older era, made with its first message. */
  #findOlderEra(): Exchanger | undefined {
    return (this.#olderEra ??= this.#openOlderEra?.(this.#client, this.#context.handlers));
  }

  async #close(): Promise<void> {
    const error = closedError();
    for (const request of this.#context.open.list()) request.fail(error);
    this.#poster?.end(error);
    await this.#olderEra?.close();
    await this.#client.backend.close();
    this.#context.handlers.closed?.(undefined);
  }
}
