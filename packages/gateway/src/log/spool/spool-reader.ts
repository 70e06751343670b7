import { appendFile, open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { normalizeRecord } from "../normal-record.ts";
import type { CallRecord } from "../call-record.ts";
import { listSegments, readPosition, segmentFile, writePosition, type SpoolPosition } from "./segments.ts";

const LINE_END = Buffer.from("\n");
const CHUNK = 512 * 1024;
/** A line without an end that is longer than this is read in parts, none of which is a record. */
const LONGEST_LINE = 4 * 1024 * 1024;
/** Lines that are no records are kept for a person who may find out what they were, but not without end. */
const UNREADABLE = "unreadable.jsonl";
const MAX_UNREADABLE_BYTES = 16 * 1024 * 1024;

/** Some lines of the spool. */
export interface SpoolBatch {
  readonly records: readonly CallRecord[];
  /** Lines that are no records: cut off when a process was killed or the disk was full, or corrupt. */
  readonly unreadable: readonly Buffer[];
  /** Where the next batch begins. */
  readonly next: SpoolPosition;
  /** Lines before `next` in its segment. */
  readonly lines: number;
}

/** Reads the spool from its position on, while another thread appends to it. */
export class SpoolReader {
  readonly #folder: string;
  #position: SpoolPosition;
  /** Lines before the position in its segment. */
  #lines = 0;

  private constructor(folder: string, position: SpoolPosition) {
    this.#folder = folder;
    this.#position = position;
  }

  static async open(folder: string): Promise<SpoolReader> {
    const reader = new SpoolReader(folder, await readPosition(folder));
    reader.#lines = await reader.#countLines();
    return reader;
  }

  get segment(): number {
    return this.#position.segment;
  }

  /** The next lines, at most `most`; `undefined` if there are none. Says the same again until `commit`. */
  async next(most: number): Promise<SpoolBatch | undefined> {
    for (;;) {
      const following = await this.#following();
      const chunk = await readChunk(segmentFile(this.#folder, this.#position.segment), this.#position.offset);
      // A segment that has a successor gets no more lines, so one without an end was cut off.
      const isClosed = following !== undefined;
      const batch = chunk === undefined ? undefined : this.#cut(chunk, most, isClosed);
      if (batch !== undefined) return batch;
      if (following === undefined) return undefined;
      await rm(segmentFile(this.#folder, this.#position.segment), { force: true });
      this.#position = { segment: following, offset: 0 };
      this.#lines = 0;
    }
  }

  /** Notes that a batch is in the database. If the process dies before, the batch is read again, and its ids are known there. */
  async commit(batch: SpoolBatch): Promise<void> {
    if (batch.unreadable.length > 0) await this.#setAside(batch.unreadable);
    await writePosition(this.#folder, batch.next);
    this.#position = batch.next;
    this.#lines = batch.lines;
  }

  async #setAside(lines: readonly Buffer[]): Promise<void> {
    const path = join(this.#folder, UNREADABLE);
    const { size } = await stat(path).catch(() => ({ size: 0 }));
    const bytes = Buffer.concat(lines.flatMap((line) => [line, LINE_END]));
    if (size + bytes.length <= MAX_UNREADABLE_BYTES) await appendFile(path, bytes, { mode: 0o600 });
  }

  async #following(): Promise<number | undefined> {
    const segments = await listSegments(this.#folder);
    return segments.find((segment) => segment > this.#position.segment);
  }

  #cut(chunk: Chunk, most: number, isClosed: boolean): SpoolBatch | undefined {
    const records: CallRecord[] = [];
    const unreadable: Buffer[] = [];
    let lines = 0;
    let start = 0;
    const take = (from: number, to: number): void => {
      const line = chunk.bytes.subarray(from, to);
      const record = readLine(line.toString("utf8"));
      if (record === undefined) unreadable.push(line);
      else records.push(record);
    };
    while (lines < most) {
      const end = chunk.bytes.indexOf(10, start);
      if (end === -1) break;
      take(start, end);
      lines += 1;
      start = end + 1;
    }
    const isTooLong = lines === 0 && chunk.bytes.length >= LONGEST_LINE;
    const isCutOff = lines < most && chunk.isEnd && isClosed && start < chunk.bytes.length;
    if (isTooLong || isCutOff) {
      take(start, chunk.bytes.length);
      lines += 1;
      start = chunk.bytes.length;
    }
    if (start === 0) return undefined;
    const { segment, offset } = this.#position;
    return { records, unreadable, next: { segment, offset: offset + start }, lines: this.#lines + lines };
  }

  async #countLines(): Promise<number> {
    let lines = 0;
    const { segment, offset } = this.#position;
    const chunk = offset === 0 ? undefined : await readBytes(segmentFile(this.#folder, segment), 0, offset);
    if (chunk === undefined) return 0;
    for (let index = chunk.indexOf(10); index !== -1; index = chunk.indexOf(10, index + 1)) lines += 1;
    return lines;
  }
}

interface Chunk {
  readonly bytes: Buffer;
  /** Whether the file ends with it. */
  readonly isEnd: boolean;
}

/** Bytes of a file that hold at least one line, if there is one. `undefined` if the file is gone. */
async function readChunk(path: string, offset: number): Promise<Chunk | undefined> {
  for (let length = CHUNK; ; length *= 2) {
    const bytes = await readBytes(path, offset, length);
    if (bytes === undefined) return undefined;
    const isEnd = bytes.length < length;
    if (isEnd || length >= LONGEST_LINE || bytes.includes(10)) return { bytes, isEnd };
  }
}

async function readBytes(path: string, offset: number, length: number): Promise<Buffer | undefined> {
  let file;
  try {
    file = await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await file.read(buffer, filled, length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await file.close();
  }
}

function readLine(line: string): CallRecord | undefined {
  try {
    return normalizeRecord(JSON.parse(line));
  } catch {
    return undefined;
  }
}
