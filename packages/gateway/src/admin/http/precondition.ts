import type { IncomingMessage } from "node:http";
import { AdminError, invalid } from "./admin-error.ts";

/**
 * The revision that a change was made of, from `If-Match`. A change must name it if there is something to overwrite; 0 stands
 * for something new.
 */
export function readRevision(headers: IncomingMessage["headers"], current: number | undefined): number {
  const header = headers["if-match"];
  if (header === undefined) {
    if (current === undefined) return 0;
    throw new AdminError(
      428,
      "revision_required",
      `Send the revision that you have read, such as If-Match: "${current}", so that no change of somebody else is lost.`,
    );
  }
  const match = /^"(\d{1,15})(?:-[\w-]+)?"$/.exec(header.trim());
  if (match === null) throw invalid('If-Match must be a revision in quotes, such as "3".');
  const revision = Number(match[1]);
  if (revision !== (current ?? 0)) throw changedMeanwhile(current);
  return revision;
}

/** Refuses a change of a revision that is no longer the current one. */
export function changedMeanwhile(current: number | undefined): AdminError {
  const state = current === undefined ? "It does not exist any more" : `It has revision ${current} now`;
  return new AdminError(412, "revision_changed", `This has changed since you read it. ${state}: read it again first.`);
}
