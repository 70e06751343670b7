import type { CallRecord, Outcome } from "./call-record.ts";

/** A time span: from (inclusive) to (exclusive), in milliseconds since 1970. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Which calls are meant. Absent members match everything. */
export interface CallFilter {
  readonly server?: string | undefined;
  /** In figures, calls of tools that do not exist count as the tool `(unknown)`, because callers can invent any number of names. */
  readonly tool?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly principal?: string | undefined;
  /** The name that the client gives itself; without one, the product of its user agent; without that, `(unknown)`. */
  readonly client?: string | undefined;
}

/** Figures of a time span. */
export interface CallTotals {
  readonly calls: number;
  /** Calls of any outcome but `ok`. */
  readonly failures: number;
  readonly byOutcome: { readonly [O in Outcome]?: number };
  /** Milliseconds; `undefined` if there were no calls. From histograms, so within 12 %. */
  readonly p50?: number | undefined;
  readonly p95?: number | undefined;
  readonly p99?: number | undefined;
  /** Bytes of arguments and of the APIs' responses. */
  readonly bytes: number;
}

/** Totals of one interval of a series. */
export interface SeriesPoint extends CallTotals {
  /** The start of the interval, in milliseconds since 1970. */
  readonly at: number;
}

/** Totals of one tool. */
export interface ToolTotals extends CallTotals {
  readonly server: string;
  readonly tool: string;
}

/** Totals of one client program. */
export interface ClientTotals {
  readonly client: string;
  readonly calls: number;
  readonly failures: number;
}

/** One page of the call list, newest first. */
export interface CallPage {
  readonly calls: readonly CallRecord[];
  /**
   * Pass it as `before` to get the next page. A page looks at a bounded number of calls, so it can have fewer than the limit,
   * or none, and still have a next one.
   */
  readonly next?: string | undefined;
}

/** The state of the log, for health checks and metrics. */
export interface LogStatus {
  readonly store: "pglite" | "postgres" | "memory";
  /** Whether the last write to the database succeeded. */
  readonly isHealthy: boolean;
  /** Records that are in the spool and not in the database yet. */
  readonly waiting: number;
  readonly spoolBytes: number;
  /** Records that were given up, because the spool or the disk was full. */
  readonly lost: number;
  /** Lines of the spool that were cut or corrupt, and records that the database refused. */
  readonly skipped: number;
  readonly written: number;
  /** What was wrong with the spool at the start, and what was done about it. */
  readonly notices: readonly string[];
  /** The last error of the database, if it is not healthy. */
  readonly error?: string | undefined;
}

/** The records that a worker of a gateway has logged since the last time, and the state of its log. */
export interface LogNews {
  readonly records: readonly CallRecord[];
  readonly status: LogStatus;
}

/** Keeps a record of every call, and answers questions about them. */
export interface CallLog {
  /**
   * Takes a record. When it returns, the record is in the spool, and reaches the database even if this process is killed at
   * once: add the record before the answer is sent, and every answered call is in the log. It costs a few microseconds,
   * waits for no database, and never throws. Names, error texts and captured bodies are redacted and shortened here.
   */
  add(record: CallRecord): void;
  /** Resolves when everything that was added before is in the database. While the database is down, that takes as long. */
  flush(): Promise<void>;
  totals(range: TimeRange, filter?: CallFilter): Promise<CallTotals>;
  /**
   * Totals by interval of `step` milliseconds, without gaps. Intervals begin at multiples of `step` since 1970, so the first
   * may begin before `from`; it counts calls of the range only. At most 1000 intervals: a `UsageError` says so beyond.
   */
  series(range: TimeRange, step: number, filter?: CallFilter): Promise<readonly SeriesPoint[]>;
  tools(
    range: TimeRange,
    options?: { readonly by?: "calls" | "failures"; readonly limit?: number; readonly filter?: CallFilter },
  ): Promise<readonly ToolTotals[]>;
  clients(range: TimeRange, limit?: number): Promise<readonly ClientTotals[]>;
  /** Calls, newest first: 50 unless `limit` says otherwise, at most 500. They come without `capture`; `call` has it. */
  calls(
    range: TimeRange,
    options?: {
      readonly filter?: CallFilter;
      readonly before?: string;
      readonly limit?: number;
      readonly failuresOnly?: boolean;
    },
  ): Promise<CallPage>;
  /** One call, with what was captured of it. Ids of `createCallId` are found fast. */
  call(id: string): Promise<CallRecord | undefined>;
  /** All matching calls, oldest first, in bounded memory, without `capture`. */
  export(range: TimeRange, filter?: CallFilter): AsyncIterable<CallRecord>;
  /** Calls `listener` with each record as it is added in this process, or a worker of it. Returns a function that ends it. */
  follow(listener: (record: CallRecord) => void): () => void;
  /** Takes note of what a worker of this gateway has logged: tells followers, and counts its state to that of the log. */
  hear(worker: number, news: LogNews): void;
  /** A worker has ended. */
  forget(worker: number): void;
  status(): LogStatus;
  close(): Promise<void>;
}
