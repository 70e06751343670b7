import { UsageError } from "@toolwire/protocol";
import { isUuid } from "./call-id.ts";
import type { CallRecord } from "./call-record.ts";

/** Where a page of the call list ends: the time and id of its last call. */
export interface PagePosition {
  readonly at: number;
  readonly id: string;
}

/** Writes a position as the text that callers pass back. */
export function writePosition(record: Pick<CallRecord, "at" | "id">): string {
  return `${record.at}.${record.id}`;
}

/** Reads what a caller passes back. */
export function readPosition(text: string): PagePosition {
  const dot = text.indexOf(".");
  const at = Number(text.slice(0, Math.max(0, dot)));
  const id = text.slice(dot + 1).toLowerCase();
  if (dot < 1 || !Number.isSafeInteger(at) || at < 0 || !isUuid(id)) {
    throw new UsageError("INVALID_ARGUMENT", "`before` must be the `next` of an earlier page of calls.");
  }
  return { at, id };
}

/** How many items a list has: `wanted`, or as many as allowed. */
export function limitOf(wanted: number | undefined, usual: number, most: number): number {
  if (wanted === undefined) return usual;
  if (Number.isSafeInteger(wanted) && wanted >= 1) return Math.min(wanted, most);
  throw new UsageError("INVALID_ARGUMENT", `A limit is a whole number from 1 to ${most}, not ${wanted}.`);
}

/** Newest first; calls of the same millisecond by their ids. */
export function compareNewestFirst(one: PagePosition, other: PagePosition): number {
  if (one.at !== other.at) return other.at - one.at;
  if (one.id === other.id) return 0;
  return one.id < other.id ? 1 : -1;
}
