import type { Revision } from "./revision.ts";

/** The revisions in which a part of the protocol exists: all of them, unless there is a first or a last one. */
export interface Lifespan {
  readonly since?: Revision;
  readonly until?: Revision;
}

/** In every revision. */
export const ALWAYS: Lifespan = {};
/** Ended with the legacy era. */
export const LEGACY: Lifespan = { until: "2025-11-25" };
/** From the second revision on. */
export const SINCE_2025_03: Lifespan = { since: "2025-03-26" };
/** From the third revision on. */
export const SINCE_2025_06: Lifespan = { since: "2025-06-18" };
/** From the last legacy revision on. */
export const SINCE_2025_11: Lifespan = { since: "2025-11-25" };
/** Begins with the modern era. */
export const SINCE_2026_07: Lifespan = { since: "2026-07-28" };

/** Whether a revision lies within a lifespan. Revisions are dates, so they compare as strings. */
export function covers({ since, until }: Lifespan, revision: Revision): boolean {
  return (since === undefined || revision >= since) && (until === undefined || revision <= until);
}
