import { closeSync, openSync, writeSync } from "node:fs";
import { open, rm, writeFile } from "node:fs/promises";
import type { CallRecord } from "../call-record.ts";
import { repairSpool } from "./repair-spool.ts";
import { listSegments, readPosition, segmentFile, type SpoolPosition } from "./segments.ts";

/** Limits of the spool. */
export interface SpoolLimits {
  /** The length at which a segment ends. Default: 4 MiB. */
  readonly segmentBytes?: number | undefined;
  /**
   * The length of all segments together, beyond which the oldest is given up. Default: 1 GiB, which is about two million
   * records: some minutes of a gateway under full load, and days of a quiet one.
   */
  readonly maxSpoolBytes?: number | undefined;
  /** Lines that wait in memory while the disk takes none, beyond which the oldest is given up. Default: 50,000. */
  readonly waitingLines?: number | undefined;
}

/** In characters. A line has two captured bodies of 16 KiB and little else. */
const LONGEST_LINE = 128 * 1024;
const RETRY_DELAY = 250;
const MEBIBYTE = 1024 * 1024;

interface Segment {
  lines: number;
  bytes: number;
  /** Lines of it that are in the database. */
  drained: number;
}

/**
 * Appends records to the spool, before their answers are sent. Each record is one synchronous write to the cache of the
 * operating system, which takes 2 to 4 µs and survives the death of the process. Writing several at once would be cheaper,
 * but the answers would have to wait for it: responses of APIs arrive one by one, each in a turn of the event loop of its own.
 */
export class SpoolWriter {
  readonly #folder: string;
  readonly #segmentBytes: number;
  readonly #maxSpoolBytes: number;
  readonly #waitingLines: number;
  readonly #onWarning: (message: string) => void;
  /** What was wrong with the folder when it was opened, and what was done about it. */
  readonly notices: readonly string[];
  readonly #segments: Map<number, Segment>;
  readonly #givenUp = new Map<number, Segment>();
  readonly #buffer = Buffer.allocUnsafe(LONGEST_LINE * 3);
  /** Lines that the disk did not take. */
  readonly #waiting: string[] = [];
  #current: number;
  #file: number | undefined;
  /** Whether the segment ends in the middle of a line, because the disk was full. */
  #isLineOpen = false;
  #retry: NodeJS.Timeout | undefined;
  /** Whether the last segment could only begin because an older one was given up. */
  #isFull = false;
  #lost = 0;
  #error: string | undefined;

  private constructor(
    folder: string,
    limits: SpoolLimits,
    onWarning: (message: string) => void,
    notices: readonly string[],
    segments: Map<number, Segment>,
    current: number,
  ) {
    this.#folder = folder;
    this.notices = notices;
    this.#onWarning = onWarning;
    this.#segmentBytes = limits.segmentBytes ?? 4 * MEBIBYTE;
    this.#maxSpoolBytes = limits.maxSpoolBytes ?? 1024 * MEBIBYTE;
    this.#waitingLines = limits.waitingLines ?? 50_000;
    this.#segments = segments;
    this.#current = current;
  }

  /**
   * Opens the spool of a folder, repairs what is damaged, counts what an earlier process has left there, and begins a new
   * segment. Open it before anything reads the spool.
   */
  static async open(
    folder: string,
    limits: SpoolLimits = {},
    onWarning: (message: string) => void = () => undefined,
  ): Promise<SpoolWriter> {
    const notices = await repairSpool(folder);
    for (const notice of notices) onWarning(`The spool of the call log was damaged: ${notice}`);
    const position = await readPosition(folder);
    const segments = new Map<number, Segment>();
    const numbers = await listSegments(folder);
    for (const number of numbers) segments.set(number, await countSegment(folder, number, position));
    const last = Math.max(position.segment, numbers.at(-1) ?? 0);
    const writer = new SpoolWriter(folder, limits, onWarning, notices, segments, last);
    writer.#begin();
    // With a successor in place, the last line of the segment before it can be told to be cut off rather than unfinished.
    await writeFile(segmentFile(folder, writer.#current), "", { flag: "a", mode: 0o600 });
    return writer;
  }

  /** Records that are not in the database yet. */
  get waiting(): number {
    let waiting = this.#waiting.length;
    for (const { lines, drained } of this.#segments.values()) waiting += Math.max(0, lines - drained);
    return waiting;
  }

  get bytes(): number {
    let total = 0;
    for (const { bytes } of this.#segments.values()) total += bytes;
    return total;
  }

  get lost(): number {
    return this.#lost;
  }

  /** The error of the disk, while there is one. */
  get error(): string | undefined {
    return this.#error;
  }

  /** Appends a record. Never throws: if the disk is full, the line waits in memory. */
  append(record: CallRecord): void {
    let line = JSON.stringify(record);
    if (line.length > LONGEST_LINE) line = JSON.stringify({ ...record, capture: undefined });
    if (this.#waiting.length === 0 && this.#write(`${line}\n`)) return;
    this.#waiting.push(line);
    if (this.#waiting.length > this.#waitingLines) {
      this.#waiting.shift();
      this.#lost += 1;
    }
    this.#retry ??= setTimeout(() => this.#writeWaiting(), RETRY_DELAY).unref();
  }

  /** The database has all segments before this one, and `lines` lines of this one. */
  drained(segment: number, lines: number): void {
    for (const segments of [this.#segments, this.#givenUp]) {
      for (const number of segments.keys()) if (number < segment) segments.delete(number);
    }
    const entry = this.#segments.get(segment);
    if (entry !== undefined) entry.drained = lines;
    // Lines that were read before their segment was given up are not lost after all.
    const givenUp = this.#givenUp.get(segment);
    if (givenUp === undefined || lines <= givenUp.drained) return;
    this.#lost -= Math.min(lines, givenUp.lines) - givenUp.drained;
    givenUp.drained = lines;
  }

  /** Writes what waits in memory, if the disk takes it now. */
  close(): void {
    this.#writeWaiting();
    clearTimeout(this.#retry);
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#lost += this.#waiting.length;
    this.#waiting.length = 0;
  }

  #writeWaiting(): void {
    this.#retry = undefined;
    let written = 0;
    while (written < this.#waiting.length && this.#write(`${this.#waiting[written]}\n`)) written += 1;
    this.#waiting.splice(0, written);
    if (this.#waiting.length > 0) this.#retry = setTimeout(() => this.#writeWaiting(), RETRY_DELAY).unref();
  }

  #write(line: string): boolean {
    try {
      this.#file ??= openSync(segmentFile(this.#folder, this.#current), "a", 0o600);
      const entry = this.#entry(this.#current);
      const wasLineOpen = this.#isLineOpen;
      const bytes = this.#buffer.write(wasLineOpen ? `\n${line}` : line);
      // The operating system takes less than everything when the disk is almost full.
      for (let written = 0; written < bytes; this.#isLineOpen = written < bytes) {
        written += writeSync(this.#file, this.#buffer, written, bytes - written);
      }
      entry.bytes += bytes;
      entry.lines += wasLineOpen ? 2 : 1;
      this.#error = undefined;
      if (entry.bytes >= this.#segmentBytes) this.#begin();
      return true;
    } catch (error) {
      this.#error = `The spool of the call log cannot be written: ${error instanceof Error ? error.message : String(error)}`;
      return false;
    }
  }

  /** Begins the next segment, and gives up the oldest if they are too long together. */
  #begin(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#isLineOpen = false;
    this.#current += 1;
    this.#entry(this.#current);
    const wasFull = this.#isFull;
    this.#isFull = this.bytes > this.#maxSpoolBytes;
    if (this.#isFull && !wasFull) this.#onWarning(fullMessage(this.#maxSpoolBytes));
    for (const [number, segment] of this.#segments) {
      if (this.bytes <= this.#maxSpoolBytes || number === this.#current) return;
      this.#segments.delete(number);
      this.#givenUp.set(number, segment);
      this.#lost += Math.max(0, segment.lines - segment.drained);
      void rm(segmentFile(this.#folder, number), { force: true }).catch(() => undefined);
    }
  }

  #entry(number: number): Segment {
    let entry = this.#segments.get(number);
    if (entry === undefined) {
      entry = { lines: 0, bytes: 0, drained: 0 };
      this.#segments.set(number, entry);
    }
    return entry;
  }
}

function fullMessage(maxBytes: number): string {
  return (
    `The spool of the call log has reached its ${Math.round(maxBytes / MEBIBYTE)} MiB, and the oldest records in it are given up, because the ` +
    "database takes fewer than are added, or none. See to the database; `analytics.maxSpoolBytes` makes room for longer outages."
  );
}

/** Counts the lines of a segment, and those before the position. */
async function countSegment(folder: string, number: number, position: SpoolPosition): Promise<Segment> {
  const segment = { lines: 0, bytes: 0, drained: 0 };
  const file = await open(segmentFile(folder, number));
  try {
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      const bytes = chunk as Buffer;
      for (let index = bytes.indexOf(10); index !== -1; index = bytes.indexOf(10, index + 1)) {
        segment.lines += 1;
        const isBefore =
          number < position.segment || (number === position.segment && segment.bytes + index < position.offset);
        if (isBefore) segment.drained += 1;
      }
      segment.bytes += bytes.length;
    }
  } finally {
    await file.close();
  }
  return segment;
}
