import type {
  ClientCapabilities,
  Implementation,
  LoggingLevel,
  ProgressToken,
  RequestMessage,
  Revision,
} from "@toolwire/protocol";
import { isId } from "@toolwire/protocol/internal";
import { invalidParams } from "../errors.ts";
import type { ConnectionLink, ServerConnection } from "../origin.ts";
import type { Identity } from "../request/request-era.ts";
import type { ServedRequest } from "../request/served-request.ts";
import type { Change } from "../subscriptions/changes.ts";
import { MAX_WATCHED, CollectingListener, sendIfPossible, type Subscriptions } from "../subscriptions/subscriptions.ts";
import type { ClientRequests } from "./ask-client.ts";
import type { ClientProfile } from "./client-profile.ts";

/** The most characters in all URIs that one session watches. */
const MAX_LENGTH = 65_536;

/** The resources that a legacy session has subscribed to. */
export class WatchedResources {
  readonly #uris = new Set<string>();
  #length = 0;

  has(uri: string): boolean {
    return this.#uris.has(uri);
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#uris.values();
  }

  /** Throws an `RpcError` if a limit is reached. */
  add(uri: string): void {
    if (this.#uris.has(uri)) return;
    if (this.#uris.size >= MAX_WATCHED) throw tooMany(`${MAX_WATCHED} resources`);
    if (this.#length + uri.length > MAX_LENGTH) {
      throw tooMany(`resources whose URIs have ${MAX_LENGTH} characters in all`);
    }
    this.#uris.add(uri);
    this.#length += uri.length;
  }

  delete(uri: string): void {
    if (this.#uris.delete(uri)) this.#length -= uri.length;
  }
}

function tooMany(limit: string): Error {
  return invalidParams(`A session may watch ${limit}: unsubscribe from some first.`);
}

/**
 * The server's side of a legacy connection or session. The `initialize` handshake fills it in. Kept small, because there
 * may be thousands.
 */
export class LegacySession extends CollectingListener implements ServerConnection {
  revision: Revision | undefined;
  /** The client's name and capabilities, once `initialize` was answered. */
  profile: ClientProfile | undefined;
  /** The lowest severity of log messages that the client gets. The spec leaves the default to servers. */
  logLevel: LoggingLevel = "info";

  /** The resources that the client has subscribed to, made with the first. */
  watched: WatchedResources | undefined;
  /** Sends requests to the client, made with the first. */
  clientRequests: ClientRequests | undefined;
  /** Whether the client has sent `notifications/initialized`. Before that, it is sent no requests (lifecycle page). */
  isReady = false;
  isClosed = false;
  readonly link: ConnectionLink;
  readonly #subscriptions: Subscriptions;

  constructor(link: ConnectionLink, subscriptions: Subscriptions) {
    super();
    this.link = link;
    this.#subscriptions = subscriptions;
  }

  get clientInfo(): Implementation | undefined {
    return this.profile?.info;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.profile?.capabilities ?? {};
  }

  /** Handles `notifications/initialized`: from now on, the client gets notifications and requests. */
  start(): void {
    if (this.isClosed || this.revision === undefined) return;
    this.isReady = true;
    this.#subscriptions.add(this);
    this.clientRequests?.start();
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#subscriptions.delete(this);
    this.watched = undefined;
    this.clientRequests?.end();
  }

  protected override get caller(): string | undefined {
    return this.link.principal;
  }

  protected override get watchedUris(): Iterable<string> {
    return this.watched ?? [];
  }

  protected override wants(change: Change): boolean {
    return !("uri" in change) || this.watched?.has(change.uri) === true;
  }

  protected override send(method: string, params: object | undefined): void | Promise<void> {
    return sendIfPossible(() =>
      this.link.notify?.({ jsonrpc: "2.0", method, ...(params !== undefined && { params }) }),
    );
  }

  /** Legacy sessions have no message that ends a subscription; they end with the connection. */
  override end(): void {}
}

/** The facts about a legacy request, most of them from the handshake that opened its session. */
export class LegacyIdentity implements Identity {
  readonly protocolVersion: Revision;
  /** The session of the request. Plain requests have none. */
  readonly session: LegacySession | undefined;
  readonly #request: RequestMessage;

  constructor(request: RequestMessage, protocolVersion: Revision, session: LegacySession | undefined) {
    this.#request = request;
    this.protocolVersion = protocolVersion;
    this.session = session;
  }

  get clientInfo(): Implementation | undefined {
    return this.session?.clientInfo;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.session?.clientCapabilities ?? {};
  }

  /** Plain requests get no log messages: their clients expect one response and nothing else. */
  get logLevel(): LoggingLevel | undefined {
    return this.session?.logLevel;
  }

  /** A token of the wrong type asks for nothing. The modern era refuses it. */
  get progressToken(): ProgressToken | undefined {
    const { params } = this.#request;
    const token = (params as { _meta?: { progressToken?: unknown } } | undefined)?._meta?.progressToken;
    return isId(token) ? token : undefined;
  }
}

/** The session that a request belongs to, if any. */
export function sessionOf({ identity }: ServedRequest): LegacySession | undefined {
  return identity instanceof LegacyIdentity ? identity.session : undefined;
}
