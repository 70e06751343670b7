import { isObject } from "@toolwire/protocol/internal";
import type { TaskRecord } from "../store.ts";

/** How many earlier writes a file names. */
const MAX_HISTORY = 64;

/** Everything about a version of a task but its body. */
export interface TaskHeader extends Omit<TaskRecord, "body"> {
  /** Tells this write from all others. */
  readonly write: string;
  /** The writes before this one, the last one first. */
  readonly history: readonly string[];
}

/** One version of a task, as a file holds it. */
export interface TaskFile {
  readonly header: TaskHeader;
  readonly body: string;
}

/** The file that comes after another, or the first one. */
export function nextFile({ body, ...columns }: TaskRecord, before?: TaskHeader): TaskFile {
  const history = before === undefined ? [] : [before.write, ...before.history].slice(0, MAX_HISTORY);
  return { header: { ...columns, write: crypto.randomUUID(), history }, body };
}

/** Writes a file: the header in a line of its own, so that the body need not be parsed to know when a task is due. */
export function encodeFile({ header, body }: TaskFile): string {
  return `${JSON.stringify(header)}\n${body}`;
}

/** Reads a file; `undefined` if it is none of this store. */
export function decodeFile(text: string): TaskFile | undefined {
  const end = text.indexOf("\n");
  if (end === -1) return undefined;
  try {
    const header: unknown = JSON.parse(text.slice(0, end));
    return isHeader(header) ? { header, body: text.slice(end + 1) } : undefined;
  } catch {
    return undefined;
  }
}

function isHeader(value: unknown): value is TaskHeader {
  return (
    isObject(value) &&
    typeof value["id"] === "string" &&
    Number.isSafeInteger(value["version"]) &&
    typeof value["write"] === "string" &&
    Array.isArray(value["history"])
  );
}

/** The record that a file holds. */
export function toRecord({ header, body }: TaskFile): TaskRecord {
  const { write: _write, history: _history, ...columns } = header;
  return { ...columns, body };
}
