/** An event that was sent on a stream of a session. */
export interface StoredEvent {
  /** The event's position in the stream, counted from 1. */
  readonly sequence: number;
  /** The message, as JSON text. */
  readonly data: string;
  /** Set by `append` if no client was connected to get the event, so that it exists nowhere else. */
  readonly isUnsent?: true | undefined;
}

/**
 * Keeps the events of legacy sessions, so that a client whose connection broke can get the rest (2025-11-25,
 * "Resumability and Redelivery"). Streams are kept apart: events of one are never replayed on another. A session ends
 * with its process, even if its events are still stored, so a store that outlives the process has to delete old events
 * by itself.
 */
export interface EventStore {
  /**
   * Stores one event. The events of a stream arrive in order. An error becomes a diagnostic. `client` names the client of the
   * session, for stores that share their space fairly: the principal, or else the public address that the session was opened
   * from. `undefined` if neither is known.
   */
  append(session: string, stream: string, event: StoredEvent, client?: string): void | Promise<void>;
  /** Returns the events of a stream that follow a position, in order. Events that were not kept are missing. */
  after(session: string, stream: string, sequence: number): readonly StoredEvent[] | Promise<readonly StoredEvent[]>;
  /**
   * Deletes everything of a session that has ended. Called once, when every `append` of the session has settled and none
   * will follow. An `append` that takes longer than 10 seconds is not waited for: it must leave nothing behind by itself.
   */
  forget(session: string): void | Promise<void>;
}
