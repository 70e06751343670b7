import { expectLimit } from "../../definition/expect-option.ts";

/** An event that was sent on a stream of a session. */
export interface StoredEvent {
  /** The event's position in the stream, counted from 1. */
  readonly sequence: number;
  /** The message, as JSON text. */
  readonly data: string;
}

/**
 * Keeps the events of legacy sessions, so that a client whose connection broke can get the rest (2025-11-25,
 * "Resumability and Redelivery"). Streams are kept apart: events of one are never replayed on another. A session ends
 * with its process, even if its events are still stored, so a store that outlives the process has to delete old events
 * by itself.
 */
export interface EventStore {
  /** Stores one event. The events of a stream arrive in order. */
  append(session: string, stream: string, event: StoredEvent): void | Promise<void>;
  /** Returns the events of a stream that follow a position, in order. Events that were not kept are missing. */
  after(session: string, stream: string, sequence: number): readonly StoredEvent[] | Promise<readonly StoredEvent[]>;
  /**
   * Deletes everything of a session that has ended. Called once, when every `append` of the session has settled and none
   * will follow. An `append` that takes longer than 10 seconds is not waited for: it must leave nothing behind by itself.
   */
  forget(session: string): void | Promise<void>;
}

/** Limits of {@link createMemoryEventStore}. Whole numbers; `Infinity` turns one off. */
export interface MemoryEventStoreOptions {
  /** How many characters of messages to keep for one session. The oldest are dropped first. Default 256 Ki. */
  readonly maxPerSession?: number | undefined;
  /**
   * How many characters to keep for all sessions together. Those of the session that was quiet longest are dropped
   * first. Default 32 Mi.
   */
  readonly max?: number | undefined;
  /** How many milliseconds to keep an event. Default 300 000 (5 minutes). */
  readonly maxAge?: number | undefined;
}

/** A link in the chain of events of a session, oldest first. */
interface KeptEvent extends StoredEvent {
  readonly stream: string;
  readonly expires: number;
  next: KeptEvent | undefined;
}

interface KeptSession {
  oldest: KeptEvent;
  latest: KeptEvent;
  size: number;
}

/** What an event costs beyond its text. */
const OVERHEAD = 100;

/** An event store in the memory of this process. */
export function createMemoryEventStore(options: MemoryEventStoreOptions = {}): EventStore {
  const maxPerSession = expectLimit("maxPerSession", options.maxPerSession ?? 256 * 1024);
  const max = expectLimit("max", options.max ?? 32 * 1024 * 1024);
  const maxAge = expectLimit("maxAge", options.maxAge ?? 5 * 60_000);
  // In the order of the latest event.
  const sessions = new Map<string, KeptSession>();
  let total = 0;

  function drop(id: string, kept: KeptSession): void {
    total -= kept.size;
    sessions.delete(id);
  }

  function add(id: string, event: KeptEvent): void {
    let kept = sessions.get(id);
    if (kept === undefined) kept = { oldest: event, latest: event, size: 0 };
    else {
      kept.latest.next = event;
      kept.latest = event;
      sessions.delete(id);
    }
    sessions.set(id, kept);
    kept.size += sizeOf(event);
    total += sizeOf(event);
  }

  /** Takes the oldest events of a session away until it is within its bounds. */
  function trim(id: string, now: number): void {
    const kept = sessions.get(id);
    if (kept === undefined) return;
    while (kept.size > maxPerSession || kept.oldest.expires <= now) {
      const { oldest } = kept;
      if (oldest.next === undefined) return drop(id, kept);
      kept.oldest = oldest.next;
      kept.size -= sizeOf(oldest);
      total -= sizeOf(oldest);
    }
  }

  /** Takes whole sessions away: those of which everything is too old, and more while there is too much. */
  function trimAll(now: number): void {
    for (const [id, kept] of sessions) {
      if (total <= max && kept.latest.expires > now) return;
      drop(id, kept);
    }
  }

  return {
    append(session, stream, { sequence, data }) {
      const now = Date.now();
      add(session, { stream, sequence, data, expires: now + maxAge, next: undefined });
      trim(session, now);
      trimAll(now);
    },
    after(session, stream, sequence) {
      const now = Date.now();
      const found: StoredEvent[] = [];
      for (let event = sessions.get(session)?.oldest; event !== undefined; event = event.next) {
        if (event.stream === stream && event.sequence > sequence && event.expires > now) found.push(event);
      }
      return found;
    },
    forget(session) {
      const kept = sessions.get(session);
      if (kept !== undefined) drop(session, kept);
    },
  };
}

function sizeOf(event: StoredEvent): number {
  return event.data.length + OVERHEAD;
}
