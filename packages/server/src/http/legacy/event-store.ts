import { expectLimit } from "../../definition/expect-option.ts";
import { expectOptions } from "../../definition/known-options.ts";

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
  /** Stores one event. The events of a stream arrive in order. What it throws becomes a diagnostic. */
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
  /**
   * How many characters of messages to keep for one session. The oldest are dropped first. Its latest event is kept in any
   * case, and so is the latest of each stream if no client was connected to get it, such as the answer to a request whose
   * stream was suspended: only `max` bounds these. Default 256 Ki.
   */
  readonly maxPerSession?: number | undefined;
  /**
   * How many characters to keep for all sessions together. Those of the session that was quiet longest are dropped
   * first. A diagnostic tells when an event is lost that no client has got. Default 32 Mi.
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
  /** By stream, its latest event if that was sent to nobody. */
  readonly unsent: Map<string, KeptEvent>;
}

/** What an event costs beyond its text. */
const OVERHEAD = 100;

/** An event store in the memory of this process. */
export function createMemoryEventStore(options: MemoryEventStoreOptions = {}): EventStore {
  expectOptions("createMemoryEventStore", options, { maxPerSession: true, max: true, maxAge: true });
  const maxPerSession = expectLimit("maxPerSession", options.maxPerSession ?? 256 * 1024);
  const max = expectLimit("max", options.max ?? 32 * 1024 * 1024);
  const maxAge = expectLimit("maxAge", options.maxAge ?? 5 * 60_000);
  // In the order of the latest event.
  const sessions = new Map<string, KeptSession>();
  let total = 0;

  function add(id: string, event: KeptEvent): KeptSession {
    let kept = sessions.get(id);
    if (kept === undefined) kept = { oldest: event, latest: event, size: 0, unsent: new Map() };
    else {
      kept.latest.next = event;
      kept.latest = event;
      sessions.delete(id);
    }
    sessions.set(id, kept);
    resize(kept, sizeOf(event));
    // Whoever is sent an event has been sent those before it.
    if (event.isUnsent) kept.unsent.set(event.stream, event);
    else kept.unsent.delete(event.stream);
    return kept;
  }

  function resize(kept: KeptSession, change: number): void {
    kept.size += change;
    total += change;
  }

  /** Takes the oldest events of a session away until it is within its bounds, except its latest and what was sent to nobody. */
  function trim(kept: KeptSession, now: number): void {
    let spared: KeptEvent | undefined;
    for (let event = kept.oldest; event.next !== undefined; event = event.next) {
      const isOver = event.expires <= now;
      if (!isOver && kept.size <= maxPerSession) return;
      const isUnsent = kept.unsent.get(event.stream) === event;
      if (isUnsent && !isOver) spared = event;
      else {
        if (spared === undefined) kept.oldest = event.next;
        else spared.next = event.next;
        resize(kept, -sizeOf(event));
        if (isUnsent) kept.unsent.delete(event.stream);
      }
    }
  }

  /**
   * Takes whole sessions away: those of which everything is too old, and more while there is too much. Returns whether
   * anything is lost that was sent to nobody.
   */
  function trimAll(now: number): boolean {
    let hasLost = false;
    for (const [id, kept] of sessions) {
      if (total <= max && kept.latest.expires > now) break;
      for (const { expires } of kept.unsent.values()) hasLost ||= expires > now;
      forget(id);
    }
    return hasLost;
  }

  function forget(id: string): void {
    total -= sessions.get(id)?.size ?? 0;
    sessions.delete(id);
  }

  return {
    append(session, stream, { sequence, data, isUnsent }) {
      const now = Date.now();
      const event = { stream, sequence, data, isUnsent, expires: now + maxAge, next: undefined };
      const fits = sizeOf(event) <= max;
      if (fits) trim(add(session, event), now);
      if (trimAll(now) || !fits) {
        throw new RangeError(`No room for all events that no client has got: \`max\` is ${max}.`);
      }
    },
    after(session, stream, sequence) {
      const now = Date.now();
      const found: StoredEvent[] = [];
      for (let event = sessions.get(session)?.oldest; event !== undefined; event = event.next) {
        if (event.stream === stream && event.sequence > sequence && event.expires > now) found.push(event);
      }
      return found;
    },
    forget,
  };
}

function sizeOf(event: StoredEvent): number {
  return event.data.length + OVERHEAD;
}
