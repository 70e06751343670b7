import {
  type ClientCapabilities,
  type DiscoverResult,
  type Era,
  eraOf,
  type Implementation,
  type LoggingLevel,
  type NotificationMessage,
  ProtocolViolation,
  type Reply,
  type RequestMessage,
  type RequestMeta,
  type Revision,
  REVISIONS,
  type RpcError,
  type ServerCapabilities,
} from "@toolwire/protocol";
import { brandError, type Caller, type CallOptions } from "@toolwire/protocol/internal";
import type { DiagnosticListener } from "../diagnostics.ts";
import type { Inputs } from "../input/handlers.ts";
import type { AcceptedTopics, Change, WatchedFilter } from "../messages/changes.ts";
import type { Endpoint, Transport } from "../target/endpoint.ts";
import type { HttpEra } from "../transports/http/transport.ts";
import type { PausedTime } from "../waiting.ts";
import type { RememberedEra } from "./server-memory.ts";

/**
 * Everything in which one era of the protocol differs from another. The client is given a list of eras, in order of
 * preference; nothing else in it knows which eras there are.
 */
export interface ClientEra {
  readonly name: Era;

  // Reaching an agreement.

  /** Agrees with a server on one of the offered revisions of this era. Rejects with the refusal of the server. */
  agree(caller: Caller, terms: Terms): Promise<Agreement>;
  /** Whether only a server of this era can have answered with this error. */
  recognizes(error: unknown): boolean;
  /** Explains an error of `agree` that suggests another era, where no other era may be tried. Absent: it is passed on. */
  explainForeign?(error: unknown, terms: Terms): Error;
  /** Tells the server that the client has accepted the agreement. From then on, the server may send requests. */
  confirm?(connection: EraConnection): void | Promise<void>;
  /** The transport that a server of this era was last reached by, if that is not the usual one. */
  rememberedTransport?(endpoint: Endpoint, terms: Terms, remembered: RememberedEra): OtherTransport | undefined;
  /** Another transport to try after a failure of the usual one. */
  otherTransport?(endpoint: Endpoint, terms: Terms, failure: OpenFailure): OtherTransport | undefined;

  // Requests and their results.

  /** Makes the part of `_meta` that all requests and notifications share. Absent: there is none. */
  requestMeta?(terms: Terms, revision: Revision): RequestMeta;
  /** Takes that part off the parameters of a request again. Absent: there is none. */
  withoutRequestMeta?(params: object): object;
  /** Leaves out parameters that a revision does not have. Absent: all revisions of the era have the same. */
  restrictParams?(method: string, params: object, revision: Revision): object;
  /** Whether servers of a revision declare a capability that they have. Absent: they do. */
  declares?(capability: keyof ServerCapabilities, revision: Revision): boolean;
  /** Whether results have a `resultType`, by which a server can also ask for input. */
  readonly hasResultTypes: boolean;
  /** Whether arguments that a tool annotates with `x-mcp-header` are repeated as headers, where there are headers. */
  readonly hasParamHeaders: boolean;
  /** Whether the server keeps a session, which it can forget, and with it cursors and subscriptions. */
  readonly hasSessions: boolean;
  /** Finds out whether an error means that client and server disagree about something that can be put right. */
  classify(error: unknown, request: FailedRequest): EraFailure | undefined;
  /** The questions that an error asks the user before the request can be sent again. Absent: errors ask none. */
  questionsIn?(error: RpcError): readonly object[];

  // Beside requests.

  /** The description that the server gave of itself when connecting. Absent: `server/discover` gets it. */
  describe?(agreement: Agreement): DiscoverResult;
  /** Sets the log level of the connection. Absent: every request carries the level. */
  setLogLevel?(level: LoggingLevel, call: (method: string, params: object) => Promise<object>): Promise<unknown>;
  /**
   * Watches for changes until the server or the connection ends that. Resolves if the server ended it on purpose, and
   * rejects if it broke.
   */
  watch(connection: EraConnection, watcher: Watcher): Promise<void>;
  /** Whether the server announces changes to the whole connection, and not to the subscription that asked for them. */
  readonly sharesAnnouncements: boolean;
  /** Answers a request of the server. Absent: servers of this era send none, and are not answered. */
  answerRequest?(asked: ServerRequest): Promise<void>;
  /** Whether the server may send several messages as one JSON array. */
  allowsBatch(revision: Revision): boolean;
  /** Opens what the era adds to Streamable HTTP. Absent: nothing. */
  readonly openHttp?: HttpEra;
}

/** The part that an older era adds to Streamable HTTP. It gets the messages that name no revision. */
export function findOlderHttp(eras: readonly ClientEra[]): HttpEra | undefined {
  return eras.find(({ openHttp }) => openHttp !== undefined)?.openHttp;
}

/** The offer that a client makes in a negotiation. */
export interface Terms {
  readonly info: Implementation;
  /** The capabilities to declare in a revision: extensions may exist in some only. */
  readonly capabilitiesIn: (revision: Revision) => ClientCapabilities;
  /** The revisions to choose from, best first. */
  readonly revisions: readonly Revision[];
  /** The milliseconds that a server may stay silent before the next era is tried as well. */
  readonly probeTimeout: number;
  /** The milliseconds so far in which no time counted, because somebody was logging in. */
  readonly pausedTime?: PausedTime;
  /** Aborted when the time for connecting is over, or nobody waits for it. Requests have no other time limit. */
  readonly signal: AbortSignal;
}

/** The result of a negotiation. */
export interface Agreement {
  readonly revision: Revision;
  readonly era: ClientEra;
  /** The name and version of the server, if it gave them. */
  readonly server: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  /** All revisions that the server lists, including those that this SDK does not know. */
  readonly supportedVersions: readonly string[];
}

/** A connection with an agreement, as far as eras use it. */
export interface EraConnection {
  readonly agreement: Agreement;
  /** Aborted when the connection can no longer be used. */
  readonly over: AbortController;
  /** Whether anything can still be sent. */
  readonly isOpen: boolean;
  /** The milliseconds so far in which no time counted. */
  readonly pausedTime: PausedTime;
  call(method: string, params: object, options: CallOptions): Promise<object>;
  notify(method: string, params: object | undefined): void | Promise<void>;
}

/** A transport to use instead of the usual one of an endpoint. */
export interface OtherTransport {
  open(): Promise<Transport>;
  /** The entry for the memory of servers if it succeeds. */
  readonly remembered: RememberedEra;
  /** How many milliseconds opening it may take. Absent: as long as connecting may take. */
  readonly openTimeout?: number;
  /** The error to reject with if it cannot be opened. Absent: the error itself. */
  explain?(error: unknown): unknown;
  /** A diagnostic to give before it is tried. */
  readonly notice?: { readonly message: string; readonly error: unknown };
}

/** A failure to connect over the usual transport. */
export interface OpenFailure {
  readonly error: unknown;
  /** Why the transport has ended; `undefined` if it is still there. */
  readonly death: Error | undefined;
  readonly remembered: RememberedEra | undefined;
  /** Whether the terms allow more than one era. */
  readonly hasAlternatives: boolean;
}

/** A request that failed, as far as eras use it. */
export interface FailedRequest {
  readonly method: string;
  /** Whether requests travel with headers, as over HTTP. */
  readonly hasHeaders: boolean;
  /** Whether the era of the server was doubted before and confirmed. */
  readonly isProven: boolean;
}

/**
 * A disagreement between client and server that can be put right:
 *
 * - `revision`: the server does not speak the revision of the request, and has not looked into it;
 * - `other era`: a server of another era has answered, and has not looked into the request;
 * - `doubtful era`: the answer may be that of a server of another era;
 * - `headers`: the server expects other headers than the listed tool declared;
 * - `questions`: the user has to answer questions first, see {@link ClientEra.questionsIn}.
 */
export type EraFailure = "revision" | "other era" | "doubtful era" | "headers" | "questions";

/** The receiver of a subscription, while one connection lasts. */
export interface Watcher {
  readonly filter: WatchedFilter;
  /** Aborted when the subscription is closed. */
  readonly signal: AbortSignal;
  /** The milliseconds that the server may take to say what it agrees to. */
  readonly timeout: number;
  accepted(filter: AcceptedTopics): void;
  changed(change: Change): void;
  /** Gets every notification that comes with the subscription. */
  notification(message: NotificationMessage): void;
}

/** A request of the server, and everything that answering it takes. */
export interface ServerRequest {
  readonly request: RequestMessage;
  readonly reply: Reply;
  /** The request of this client for which the server asks, if the transport tells. */
  readonly behalf: RequestMessage | undefined;
  /** Absent while the agreement is still being reached. */
  readonly agreement: Agreement | undefined;
  readonly caller: Caller;
  readonly inputs: Inputs;
  /** Aborted when the server cancels the request; answering aborts it when the client is closed. */
  readonly stop: AbortController;
  /** Aborted when the client is closed. */
  readonly over: AbortSignal;
  readonly diagnose: DiagnosticListener;
}

/** Lists the revisions that an application allows: all of the eras that are spoken, those of one era, or a single one. */
export function revisionsToOffer(
  eras: readonly ClientEra[],
  revision: Revision | undefined,
  era: Era | undefined,
): readonly Revision[] {
  if (revision !== undefined) return [revision];
  const names = era === undefined ? eras.map(({ name }) => name) : [era];
  return REVISIONS.filter((candidate) => names.includes(eraOf(candidate)));
}

/** Finds the best revision of an era that both sides speak. */
export function bestCommon(offered: readonly Revision[], theirs: readonly unknown[], era: Era): Revision | undefined {
  return offered.find((revision) => eraOf(revision) === era && theirs.includes(revision));
}

/** The error for a client and a server that have no revision in common. */
export class NoCommonRevision extends ProtocolViolation {
  static {
    brandError(this, "NoCommonRevision");
  }

  /** The revisions that the server listed. */
  readonly supported: readonly unknown[];

  constructor(offered: readonly Revision[], supported: readonly unknown[], cause?: unknown) {
    // There may be no server at all but a wrong path. The words of a server are untrusted: they are quoted and cut.
    const words = cause instanceof Error ? `, but ${JSON.stringify(cause.message.slice(0, 200))}` : "";
    const spoken =
      supported.length === 0
        ? `seems to be older, and does not say what it speaks${words}`
        : `speaks ${supported.slice(0, 20).join(", ")}`;
    super(
      "NO_COMMON_REVISION",
      `Client and server have no protocol revision in common: this client speaks ${offered.join(", ")}; the server ${spoken}.`,
      { cause },
    );
    this.supported = supported;
  }
}
