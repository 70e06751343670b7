import { invalidParams } from "../errors.ts";
import {
  type Change,
  MAX_WATCHED,
  PatientListener,
  sendIfPossible,
  type Subscriptions,
} from "../subscriptions/subscriptions.ts";
import type { ClientCapabilities, Implementation, LoggingLevel, Revision } from "@toolwire/protocol";
import type { ConnectionLink, ServerConnection } from "../origin.ts";
import type { Asker } from "./ask-client.ts";

/** How long the URIs of one session may be together, in characters. */
const MAX_LENGTH = 65_536;

/** The resources of whose changes a legacy session wants to hear. */
export class WatchedResources {
  readonly #uris = new Set<string>();
  #length = 0;

  has(uri: string): boolean {
    return this.#uris.has(uri);
  }

  /** Throws an `RpcError` if there are as many as there may be. */
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

/** How much of `clientInfo` is kept, in characters of JSON. */
const MAX_INFO = 2048;

/** How much of the capabilities is kept, in characters of JSON. */
const MAX_CAPABILITIES = 4096;

/** The members of `clientInfo`, in the order in which they get room. Unknown ones follow. */
const INFO_ORDER = ["name", "version", "title", "websiteUrl", "description", "icons"];

/** The same of capabilities. */
const CAPABILITIES_ORDER = ["elicitation", "sampling", "roots", "extensions", "experimental", "tasks"];

/** Capabilities that are maps: those of their entries that fit are kept. */
const MAPS: readonly string[] = ["extensions", "experimental"];

/**
 * What a legacy client says about itself in `initialize`, as far as it fits. It is kept for as long as the session, of which
 * there may be thousands, so it is kept as text: as objects, the same can take ten times the memory.
 */
export class ClientProfile {
  readonly #info: string;
  readonly #capabilities: string;

  /** Throws an `RpcError` if the name and version alone are too long. */
  constructor(info: Implementation, capabilities: ClientCapabilities) {
    const members = pickMembers(info, INFO_ORDER, MAX_INFO);
    for (const name of ["name", "version"]) if (!members.has(name)) throw tooLong(name);
    this.#info = joinMembers(members);
    this.#capabilities = joinMembers(pickMembers(capabilities, CAPABILITIES_ORDER, MAX_CAPABILITIES, MAPS));
  }

  get info(): Implementation {
    return JSON.parse(this.#info) as Implementation;
  }

  get capabilities(): ClientCapabilities {
    return JSON.parse(this.#capabilities) as ClientCapabilities;
  }
}

/** The members of an object whose JSON fits into so many characters, those named in `order` first: each with its JSON. */
function pickMembers(
  object: object,
  order: readonly string[],
  max: number,
  maps: readonly string[] = [],
): Map<string, string> {
  const picked = new Map<string, string>();
  const values = new Map<string, unknown>(Object.entries(object));
  // The braces.
  let room = max - 2;
  for (const name of new Set([...order, ...values.keys()])) {
    const value = values.get(name);
    if (value === undefined) continue;
    // A quoted name, a colon, and a comma.
    const valueRoom = room - JSON.stringify(name).length - 2;
    const text = maps.includes(name)
      ? joinMembers(pickMembers(value as object, [], valueRoom))
      : (JSON.stringify(value) as string | undefined);
    if (text === undefined || text.length > valueRoom) continue;
    picked.set(name, text);
    room = valueRoom - text.length;
  }
  return picked;
}

/** The JSON text of an object. Joined at once, because text that is put together piece by piece keeps all its pieces. */
function joinMembers(members: ReadonlyMap<string, string>): string {
  return `{${Array.from(members, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

function tooLong(name: string): Error {
  return invalidParams(
    `\`clientInfo.${name}\` is too long: \`name\` and \`version\` may have ${MAX_INFO} characters of JSON together.`,
  );
}

/**
 * The server's side of a legacy connection or session. The `initialize` handshake fills it in. Kept small, because there
 * may be thousands.
 */
export class LegacySession extends PatientListener implements ServerConnection {
  revision: Revision | undefined;
  /** What the client has said about itself. */
  profile: ClientProfile | undefined;
  /** From which severity on the client gets log messages. The spec leaves the choice of a default to servers. */
  logLevel: LoggingLevel = "info";

  /** The resources of whose changes it wants to hear, once there was one. */
  watched: WatchedResources | undefined;
  /** What sends questions to the client, once there was one. */
  asker: Asker | undefined;
  /** Whether the client has said that it is ready: before that it should not be sent requests (lifecycle page). */
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

  /** The client is ready for notifications that it did not ask for. */
  start(): void {
    if (this.isClosed || this.revision === undefined) return;
    this.isReady = true;
    this.#subscriptions.add(this);
    this.asker?.start();
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#subscriptions.delete(this);
    this.watched = undefined;
    this.asker?.end();
  }

  // What subscriptions need.

  protected override get caller(): string | undefined {
    return this.link.principal;
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
