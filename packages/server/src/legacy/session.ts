import {
  type ClientCapabilities,
  type Implementation,
  LOGGING_LEVELS,
  type LoggingLevel,
  type ProgressToken,
  type RequestMessage,
  type Revision,
} from "@toolwire/protocol";
import { isId } from "@toolwire/protocol/internal";
import type { SessionObservation } from "../define/observer.ts";
import { invalidParams } from "../errors.ts";
import type { ConnectionLink, ServerConnection, SharedChange, SharedState } from "../origin.ts";
import type { Definition } from "../registry/definition.ts";
import type { Identity } from "../request/request-era.ts";
import type { ServedRequest } from "../request/served-request.ts";
import type { Change } from "../subscriptions/changes.ts";
import { MAX_WATCHED, CollectingListener, cutWatched, sendIfPossible } from "../subscriptions/subscriptions.ts";
import type { ClientRequests } from "./ask-client.ts";
import { ClientProfile } from "./client-profile.ts";
import { decodeFacts, encodeFacts, type FactsOwner } from "./facts.ts";

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

  /** Whether there is room for another one. */
  hasRoomFor(uri: string): boolean {
    return this.#uris.size < MAX_WATCHED && this.#length + uri.length <= MAX_LENGTH;
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

/** The resources of a list that came from outside, as far as they fit. */
function watchAll(uris: readonly string[]): WatchedResources {
  const watched = new WatchedResources();
  for (const uri of cutWatched(uris)) {
    if (!watched.hasRoomFor(uri)) break;
    watched.add(uri);
  }
  return watched;
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
  /** Sees how the session ends, if anybody does. */
  observation: SessionObservation | undefined;
  readonly link: ConnectionLink;
  readonly #definition: Definition;
  #isListening = false;

  constructor(link: ConnectionLink, definition: Definition) {
    super();
    this.link = link;
    this.#definition = definition;
    if (link.sharing?.known !== undefined) this.update(link.sharing.known);
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
    this.#becomeReady();
    const { sharing } = this.link;
    if (sharing === undefined) this.#definition.subscriptions.add(this);
    // The binding waits for it, and reports what goes wrong.
    else void sharing.keep({ isReady: true }).catch(() => undefined);
  }

  #becomeReady(): void {
    this.isReady = true;
    this.clientRequests?.start();
  }

  // What is shared with other processes.

  /** Keeps a change for other processes. Returns `undefined` if there are none. */
  keep(change: SharedChange): Promise<void> | undefined {
    return this.link.sharing?.keep(change);
  }

  /** Keeps what the handshake has agreed on. Throws an `RpcError` if there is no room for it. */
  keepHandshake(): Promise<void> | undefined {
    const { link, profile, revision } = this;
    if (link.sharing === undefined || profile === undefined || revision === undefined) return undefined;
    const facts = encodeFacts({ profile: askable(profile, link), revision }, this.#owner, link.sharing.maxFacts);
    return link.sharing.keep({ facts });
  }

  /** Takes up what other processes have agreed on with the client. Without valid facts, there is no revision afterwards. */
  update({ facts, isReady, logLevel, watched }: SharedState): void {
    if (this.revision === undefined) {
      const known = decodeFacts(facts, this.#owner, this.#definition.revisions);
      if (known === undefined) return;
      this.profile = known.profile;
      this.revision = known.revision;
    }
    if (isReady && !this.isReady) this.#becomeReady();
    this.logLevel = LOGGING_LEVELS.find((level) => level === logLevel) ?? this.logLevel;
    this.watched = watched.length === 0 ? undefined : watchAll(watched);
  }

  async listen(after: string | undefined): Promise<string | undefined> {
    const { subscriptions } = this.#definition;
    this.#isListening = true;
    const reached = after === undefined ? undefined : await subscriptions.catchUp(this, after);
    if (!this.#isListening || this.isClosed) return reached;
    subscriptions.add(this);
    // Once more, for what was announced between the two. What is told twice does no harm.
    return reached === undefined ? subscriptions.place : subscriptions.catchUp(this, reached);
  }

  stopListening(): void {
    this.#isListening = false;
    this.#definition.subscriptions.delete(this);
  }

  get #owner(): FactsOwner {
    return { server: this.#definition.info.name, principal: this.link.principal };
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#definition.subscriptions.delete(this);
    this.watched = undefined;
    this.clientRequests?.end();
    this.observation?.end();
  }

  protected override get caller(): string | undefined {
    return this.link.principal;
  }

  protected override get watchedUris(): Iterable<string> {
    return this.watched ?? [];
  }

  protected override wants(change: Change): boolean {
    if ("uri" in change) return this.watched?.has(change.uri) === true;
    return "list" in change;
  }

  protected override send(method: string, params: object | undefined, place?: string): void | Promise<void> {
    return sendIfPossible(() =>
      this.link.notify?.({ jsonrpc: "2.0", method, ...(params !== undefined && { params }) }, place),
    );
  }

  /** Legacy sessions have no message that ends a subscription; they end with the connection. */
  override end(): void {}
}

/** What to say of a client to handlers: where it cannot be asked anything, it is one that has no such capability. */
function askable(profile: ClientProfile, link: ConnectionLink): ClientProfile {
  if (link.exchange !== undefined) return profile;
  const { elicitation: _elicitation, sampling: _sampling, roots: _roots, ...capabilities } = profile.capabilities;
  return new ClientProfile(profile.info, capabilities);
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

  /** Plain requests get no log messages: their clients expect one response and nothing else. Nor do sessions without `logging`. */
  get logLevel(): LoggingLevel | undefined {
    return this.session?.link.notify === undefined ? undefined : this.session.logLevel;
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
