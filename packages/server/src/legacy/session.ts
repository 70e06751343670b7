import type { ClientCapabilities, Implementation, LoggingLevel, Revision } from "@toolwire/protocol";
import type { LegacySession, SessionLink } from "../serving/contract.ts";
import { PatientListener } from "../subscriptions/patient-listener.ts";
import { sendIfPossible, type Change, type Subscriptions } from "../subscriptions/subscriptions.ts";
import type { Asker } from "./asker.ts";
import type { ClientProfile } from "./client-profile.ts";
import type { WatchedResources } from "./watched-resources.ts";

/**
 * What an `initialize` handshake establishes, for as long as the connection or session lasts. Kept small: there may be
 * many.
 */
export class Session extends PatientListener implements LegacySession {
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
  readonly link: SessionLink;
  readonly #subscriptions: Subscriptions;

  constructor(link: SessionLink, subscriptions: Subscriptions) {
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
