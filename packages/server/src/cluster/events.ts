/** An event of a stream that its client has not got yet. */
export interface LoggedEvent {
  /** Its position in the stream, counted from 1. */
  readonly sequence: number;
  /** The message, as JSON text. */
  readonly data: string;
}

/** What the log keeps of a stream after a position. */
export interface LoggedEvents {
  /** In order. */
  readonly events: readonly LoggedEvent[];
  /** Whether the stream has ended, and its last event is among these or was before them. */
  readonly isComplete: boolean;
  /** Whether events between the position and the first of these are missing: they were dropped, or never appended. */
  readonly hasGap: boolean;
  /** The number of the latest {@link EventLog.takeOver}; 0 if there was none. */
  readonly reader: number;
}

/**
 * Keeps events of streams whose connection broke, for the node to which the client comes back. A stream with a healthy
 * connection writes nothing. Rejects with a {@link ClusterError}.
 */
export interface EventLog {
  /**
   * Appends events of one stream, which has one writer, in ascending order. An event whose sequence is not above the last one is
   * dropped, because writes are repeated. Keeps the stream for `ttl` milliseconds from now, and at most `maxBytes` of it: the
   * oldest events are dropped first, the last one is kept.
   */
  append(
    session: string,
    stream: string,
    events: readonly LoggedEvent[],
    options: { readonly ttl: number; readonly maxBytes: number; readonly isLast?: boolean | undefined },
  ): Promise<void>;
  /** Reads at most `limit` events after a position. `undefined` if nothing is kept of the stream. */
  read(session: string, stream: string, after: number, limit: number): Promise<LoggedEvents | undefined>;
  /** Makes the caller the reader of a stream, which may have no events yet. Returns a number greater than that of any reader before. */
  takeOver(session: string, stream: string, ttl: number): Promise<number>;
  /** Forgets a stream that its client has got. */
  forget(session: string, stream: string): Promise<void>;
}
