import { openSync, readFileSync, writeSync } from "node:fs";

/** The entries that servers have written. */
export interface JournalEntries {
  /** The ids of calls, once for each time that one was executed. */
  readonly executed: readonly string[];
  /** The ids of all server processes. */
  readonly pids: readonly number[];
  /** Everything that should not have happened. */
  readonly complaints: readonly string[];
  /** The calls of which {@link Journal.note} has written this down. */
  readonly noted: (what: string) => readonly string[];
}

/**
 * Where a server process writes down what it does, at once and without a buffer of its own: what it has written is there
 * even if the process is killed with the next instruction. Several processes may write to one file.
 */
export class Journal {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, "a");
    this.note("started", String(process.pid));
  }

  /** A call takes effect. */
  execute(id: string): void {
    this.note("executed", id);
  }

  /** Something went wrong in the server. */
  complain(text: string): void {
    this.note("complaint", text.replaceAll("\n", " | "));
  }

  /** Writes a line, by one system call, so that lines of two processes do not mix. */
  note(what: string, text: string): void {
    writeSync(this.#file, `${what} ${text}\n`);
  }
}

/** Reads what all processes have written to one file. */
export function readJournal(path: string): JournalEntries {
  const lines = readFileSync(path, "utf8").split("\n");
  const noted = (what: string): string[] =>
    lines.filter((line) => line.startsWith(`${what} `)).map((line) => line.slice(what.length + 1));
  return { executed: noted("executed"), pids: noted("started").map(Number), complaints: noted("complaint"), noted };
}
