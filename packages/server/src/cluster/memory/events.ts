import type { EventLog, LoggedEvent, LoggedEvents } from "../events.ts";
import { ExpiringMap, type Clock } from "./expiring-map.ts";
import { expectKey } from "../limits.ts";
import { bytesOf, engineFull } from "./texts.ts";

/** How many streams may be kept, whatever is in them. */
const MAX_STREAMS = 100_000;

interface Kept extends LoggedEvent {
  readonly bytes: number;
}

interface Stream {
  readonly events: Kept[];
  bytes: number;
  /** The sequence of the latest event, whether or not it is kept. */
  last: number;
  isComplete: boolean;
  reader: number;
}

/** The log of events in memory. */
export class MemoryEvents implements EventLog {
  readonly #streams: ExpiringMap<Stream>;
  /** The streams of each session. */
  readonly #ofSession = new Map<string, Set<string>>();
  readonly #maxBytes: number;
  #bytes = 0;

  /** `maxBytes` of events, all streams together. */
  constructor(now: Clock, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#streams = new ExpiringMap(now, MAX_STREAMS, (key, stream) => this.#drop(key, stream));
  }

  async append(
    session: string,
    stream: string,
    events: readonly LoggedEvent[],
    options: { readonly ttl: number; readonly maxBytes: number; readonly isLast?: boolean | undefined },
  ): Promise<void> {
    const { last } = this.#streams.get(keyOf(session, stream)) ?? { last: 0 };
    const added = events
      .filter(({ sequence }) => sequence > last)
      .map(({ sequence, data }) => ({ sequence, data, bytes: bytesOf(data) }));
    const bytes = added.reduce((sum, event) => sum + event.bytes, 0);
    if (this.#bytes + bytes > this.#maxBytes) this.#streams.sweep();
    if (this.#bytes + bytes > this.#maxBytes) throw engineFull("events", "maxLogBytes");
    const kept = this.#keep(session, stream, options.ttl);
    for (const event of added) {
      if (event.sequence <= kept.last) continue;
      kept.events.push(event);
      kept.bytes += event.bytes;
      kept.last = event.sequence;
      this.#bytes += event.bytes;
    }
    this.#trim(kept, options.maxBytes);
    if (options.isLast === true) kept.isComplete = true;
  }

  async read(session: string, stream: string, after: number, limit: number): Promise<LoggedEvents | undefined> {
    const kept = this.#streams.get(keyOf(session, stream));
    if (kept === undefined) return undefined;
    const later = kept.events.filter(({ sequence }) => sequence > after);
    const events = later.slice(0, limit).map(({ sequence, data }) => ({ sequence, data }));
    const [first] = later;
    return {
      events,
      isComplete: kept.isComplete && events.length === later.length,
      hasGap: first !== undefined && first.sequence > after + 1,
      reader: kept.reader,
    };
  }

  async takeOver(session: string, stream: string, ttl: number): Promise<number> {
    const kept = this.#keep(session, stream, ttl);
    kept.reader += 1;
    return kept.reader;
  }

  async forget(session: string, stream: string): Promise<void> {
    this.#streams.delete(keyOf(session, stream));
  }

  /** Forgets all streams of a session. */
  forgetSession(session: string): void {
    for (const stream of this.#ofSession.get(session) ?? []) this.#streams.delete(keyOf(session, stream));
  }

  /** Finds a stream or makes it, and keeps it for a time from now. */
  #keep(session: string, stream: string, ttl: number): Stream {
    const key = keyOf(session, stream);
    const known = this.#streams.get(key);
    if (known !== undefined) {
      this.#streams.touch(key, ttl);
      return known;
    }
    const made: Stream = { events: [], bytes: 0, last: 0, isComplete: false, reader: 0 };
    if (!this.#streams.set(key, made, ttl)) throw engineFull("streams", "maxLogBytes");
    const streams = this.#ofSession.get(session) ?? new Set();
    this.#ofSession.set(session, streams.add(stream));
    return made;
  }

  #trim(stream: Stream, maxBytes: number): void {
    let dropped = 0;
    for (; stream.bytes > maxBytes && dropped < stream.events.length - 1; dropped++) {
      const bytes = stream.events[dropped]?.bytes ?? 0;
      stream.bytes -= bytes;
      this.#bytes -= bytes;
    }
    stream.events.splice(0, dropped);
  }

  #drop(key: string, { bytes }: Stream): void {
    this.#bytes -= bytes;
    const [session = "", stream = ""] = key.split(" ");
    const streams = this.#ofSession.get(session);
    streams?.delete(stream);
    if (streams?.size === 0) this.#ofSession.delete(session);
  }
}

/** Neither ids of sessions nor keys of streams contain a space. */
function keyOf(session: string, stream: string): string {
  return `${expectKey(session)} ${expectKey(stream)}`;
}
