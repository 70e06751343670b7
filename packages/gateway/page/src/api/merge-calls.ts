import type { CallRecord } from "../../../src/log/call-record.ts";

/** All calls of several lists once, newest first. */
export function mergeCalls(...lists: readonly (readonly CallRecord[])[]): readonly CallRecord[] {
  const byId = new Map(lists.flat().map((call) => [call.id, call]));
  return [...byId.values()].toSorted((left, right) => right.at - left.at);
}
