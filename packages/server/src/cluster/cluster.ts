import { brandError } from "@toolwire/json-schema/internal";
import { ToolwireError } from "@toolwire/protocol";
import type { Bus } from "./bus.ts";
import type { EventLog } from "./events.ts";
import type { SessionStore } from "./sessions.ts";
import type { KeyStore, OnceStore, RateLimitStore } from "./stores.ts";

/**
 * What several processes share that serve the same clients: each of them is a _node_, and they meet in an _engine_, such as Redis or
 * Postgres. Any node serves any request. The node that runs a handler owns that request; nobody owns a session.
 *
 * Pass it to `serveHttp` and other bindings as `cluster`. `@toolwire/redis` and `@toolwire/postgres` make one of a client that you have;
 * write one for another engine, and test it with `clusterContract` of `@toolwire/server/testing`.
 */
export interface Cluster {
  /** Names this node: 10 characters of `a-z 0-9`, made at random whenever a process starts. */
  readonly node: string;
  readonly sessions: SessionStore;
  readonly events: EventLog;
  readonly bus: Bus;
  readonly limits: RateLimitStore;
  readonly once: OnceStore;
  readonly keys: KeyStore;
  /** Tells other nodes that this one has ended, and lets go of the engine. The client that was passed in stays open. */
  close(): Promise<void>;
}

/** Why a node could not reach the engine or another node. */
export type ClusterErrorCode =
  /** The engine cannot be reached, or has not answered in time. Whether a write was carried out is not known. */
  | "UNAVAILABLE"
  /** The other node has ended. */
  | "NODE_GONE"
  /** The other node has not replied in time. */
  | "TIMEOUT"
  /** What should be kept or sent is larger than the engine takes. */
  | "TOO_LARGE";

/** The engine or another node could not do what was asked. */
export class ClusterError extends ToolwireError {
  static {
    brandError(this, "ClusterError");
  }

  override readonly name: string = "ClusterError";
  readonly code: ClusterErrorCode;

  constructor(code: ClusterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Makes the name of a node. Never from host and process id: containers all have the id 1, and forks inherit it. */
export function createNodeName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return Array.from(bytes, (byte) => NAME_CHARACTERS[byte % NAME_CHARACTERS.length]).join("");
}
