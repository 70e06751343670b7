/**
 * The contract between bindings and servers. A binding turns bytes into messages and says where each came from; the
 * server answers. A contributed binding needs nothing else.
 */
import {
  type Exchange,
  type NotificationMessage,
  type RequestMessage,
  type Revision,
  UsageError,
} from "@toolwire/protocol";
import { isObject, describeKind } from "@toolwire/protocol/internal";
import type { Cluster } from "./cluster/cluster.ts";
import type { ObservedRefusal } from "./define/observer.ts";
import type { ServerDiagnostic } from "./diagnostics.ts";
import type { ConnectionLink, Origin, ServerConnection, ServerReply } from "./origin.ts";

export type { ObservedRefusal } from "./define/observer.ts";
export type { ServerDiagnostic } from "./diagnostics.ts";
export type {
  ConnectionLink,
  ConnectionSharing,
  Origin,
  Principal,
  ServerConnection,
  ServerReply,
  SharedChange,
  SharedState,
} from "./origin.ts";

/** A server as a binding sees it. It holds no connection state, so one serves any number of connections. */
export interface ServerBinding {
  /** The revisions that the server speaks, newest first. */
  readonly revisions: readonly Revision[];

  /** Answers one request, of any era. Never throws. Responds exactly once, unless the exchange is cancelled. */
  serve(request: RequestMessage, reply: ServerReply, origin: Origin): Exchange;

  /** Handles a notification, such as `notifications/initialized`. Cancellation is up to the binding. */
  hear(message: NotificationMessage, origin: Origin): void;

  /**
   * Makes what the server keeps for a connection or session. The binding passes it in `origin.state` with every message of
   * that connection, and closes it at the end. Without it, every request stands for itself.
   */
  openConnection(link: ConnectionLink): ServerConnection;

  /**
   * Called when a binding begins to serve: extensions that act on their own begin with the first. With a `cluster`, it attaches what this
   * process shares with others: from then on, changes reach the clients of all of them, and what is sealed here opens
   * there. All bindings of a server have the same cluster, or none. Returns what the binding calls when it has closed; that resolves
   * when announced changes are on their way, and extensions have ended.
   *
   * @throws UsageError if the server has another cluster
   */
  open(cluster: Cluster | undefined): () => Promise<void>;

  /**
   * Makes a seal for text that travels through clients, with the keys of the server's option `stateKey`, so that other processes can
   * open it. Returns `undefined` if the server has no such keys. `purpose` tells the text from what is sealed for other purposes.
   */
  createSeal?(purpose: string, lifetimeMs: number): TextSeal | undefined;

  /** Ends all open subscriptions gracefully, as servers do before they shut down; or only those of one connection. */
  endSubscriptions(connection?: object): void;

  /** Reports something to the operator, through the server's `onDiagnostic` hook. */
  diagnose(event: ServerDiagnostic): void;

  /** Tells the observer of the server, if there is one, that the binding has refused something by itself. */
  refused(refusal: ObservedRefusal): void;
}

/** Seals what travels through clients, so that it can be neither read nor changed. */
export interface TextSeal {
  /** Seals a JSON value for one caller. */
  seal(value: unknown, caller: string | undefined): Promise<string>;
  /** Opens sealed text for the same caller. `undefined` for other text, for other callers, and if it has expired. */
  open(text: string, caller: string | undefined): Promise<{ readonly value: unknown } | undefined>;
}

/**
 * The key of the hidden member in which a server keeps its binding. Registered globally, so that bindings of one copy of
 * this package serve servers of another copy.
 */
export const SERVER_BINDING: unique symbol = Symbol.for("toolwire.server.binding") as never;

/**
 * Returns what bindings need of a server. `example` is the call as it should be written, for the error message.
 *
 * @throws UsageError if the value is not a server, with what was given instead
 */
export function bindingOf(server: unknown, example = "bindingOf(server)"): ServerBinding {
  const binding = isObject(server) ? (server as { [SERVER_BINDING]?: ServerBinding })[SERVER_BINDING] : undefined;
  if (binding !== undefined) return binding;
  throw new UsageError(
    "INVALID_ARGUMENT",
    `The server comes first, as in ${example}: make it with createServer(). What was given is ${describe(server)}.`,
  );
}

/** Describes a value for an error message. The names of an object show whether it was meant as options, for example. */
function describe(value: unknown): string {
  const kind = describeKind(value);
  if (kind === "a promise") return `${kind}: await it first`;
  const names = kind === "an object" ? Object.keys(value as object).slice(0, 5) : [];
  return names.length === 0 ? kind : `${kind} with ${names.join(", ")}`;
}

/** Whether a server speaks the revision of this name. */
export function speaksRevision({ revisions }: Pick<ServerBinding, "revisions">, version: string): version is Revision {
  return revisions.includes(version as Revision);
}
