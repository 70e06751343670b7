/** The records of a run, to be compared afterwards. */

/** The kinds of calls that clients make. */
export type CallKind =
  /** Answered at once. */
  | "quick"
  /** Takes some hundred milliseconds. */
  | "slow"
  /** Reports progress meanwhile. */
  | "progress"
  /** Asks the user of the client something first. */
  | "question"
  /** Cancelled by its caller before the answer can come. */
  | "cancelled"
  /** Takes longer than its `timeout`. */
  | "late"
  /** Calls a tool that `retry` may call again. */
  | "repeatable";

/** The outcome as the caller was told it. */
export type Outcome =
  | { readonly type: "answered"; readonly isRight: boolean }
  /** The promise rejected with the reason of the caller's own signal. */
  | { readonly type: "cancelled" }
  | {
      readonly type: "failed";
      /** The class of the error. */
      readonly error: string;
      readonly code: string | number;
      /** The HTTP status, if the error has one. */
      readonly status?: number | undefined;
      readonly message: string;
    };

/** One call that has settled. Times are in milliseconds of one clock. */
export interface CallRecord {
  readonly id: CallId;
  readonly kind: CallKind;
  readonly begun: number;
  readonly settled: number;
  readonly outcome: Outcome;
  /** How many connections its client had opened by then. */
  readonly connections: number;
  /** How often it was handed to a transport. */
  readonly sends: number;
  /** How often the client answered a question of the server for it. */
  readonly questions: number;
  /** How many progress reports came. */
  readonly reports: number;
}

/** The name of a call: where it was made, and which it was there. A lane makes one call at a time. */
export interface CallId {
  readonly cell: number;
  readonly client: number;
  readonly lane: number;
  readonly number: number;
}

/** A call's id as it travels. */
export function formatId({ cell, client, lane, number }: CallId): string {
  return `${cell}.${client}.${lane}.${number}`;
}

/** Reads what {@link formatId} wrote. */
export function parseId(text: string): CallId {
  const [cell, client, lane, number, ...rest] = text.split(".").map(Number);
  if (number === undefined || rest.length > 0 || [cell, client, lane, number].some((part) => !Number.isInteger(part))) {
    throw new Error(`${JSON.stringify(text)} is not the id of a call.`);
  }
  return { cell: cell!, client: client!, lane: lane!, number };
}

/** The kinds of faults of a server or of the wire. */
export type FaultKind =
  /** `kill -9`. */
  | "kill"
  /** SIGTERM: the server finishes what is in flight. */
  | "stop"
  /** All connections through the proxy are reset. */
  | "reset"
  /** Answers that come within a while are cut in the middle. */
  | "cut"
  /** The server loses its connections, and the client learns of it only after a while. */
  | "stall";

/** A fault that has happened. It lasts from before it begins until the client can have what it had before. */
export interface FaultRecord {
  readonly cell: number;
  readonly kind: FaultKind;
  readonly from: number;
  readonly to: number;
}

/** Whether a fault ends the server, rather than connections to it. */
export function endsServer({ kind }: Pick<FaultRecord, "kind">): boolean {
  return kind === "kill" || kind === "stop";
}
