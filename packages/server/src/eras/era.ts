import type { ClientCapabilities, NotificationMessage, RequestMessage, Revision } from "@toolwire/protocol";
import type { ConnectionLink, Origin, ServerConnection } from "../origin.ts";
import type { Definition } from "../registry/definition.ts";
import type { Identity, RequestEra, Route } from "../request/request-era.ts";

/**
 * One generation of the protocol. A server is given a list of them, and nothing else knows how many there are. Each
 * request belongs to the first era that claims it, or to the first of all if none does.
 */
export interface Era extends RequestEra {
  /** The revisions of this era, newest first. */
  readonly revisions: readonly Revision[];
  /** Whether a request is written in this era. */
  claims(request: RequestMessage, origin: Origin, definition: Definition): boolean;
  /**
   * Reads the revision and the client of a request. Nothing else decides on the revision.
   *
   * @throws RpcError if the request breaks a rule of the era, or is written in a revision that the server does not speak
   */
  identify(request: RequestMessage, origin: Origin, definition: Definition): Identity;
  /** All that a revision serves, by method. Methods come from clients, so this is a `Map`. */
  routes(revision: Revision): ReadonlyMap<string, Route>;
  /** The capabilities of the client that has sent a notification; `undefined` if it is not of this era. */
  capabilitiesOf(message: NotificationMessage, origin: Origin): ClientCapabilities | undefined;
  /** Handles a notification, in eras that have any from clients. */
  hear?(message: NotificationMessage, origin: Origin): void;
  /** Makes the state of a connection or session, in eras that keep any. At most one era of a server does. */
  openConnection?(link: ConnectionLink, definition: Definition): ServerConnection;
}
