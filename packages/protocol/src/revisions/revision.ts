/** All revisions that this SDK speaks, newest first: the order in which to prefer them. */
export const REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** A revision of the protocol, named by its date. Later ones compare greater, as strings. */
export type Revision = (typeof REVISIONS)[number];

/**
 * The way in which two sides learn about each other: `legacy` revisions open with an `initialize` handshake and may have
 * sessions; in `modern` ones every request says all that is needed to answer it.
 */
export type Era = "legacy" | "modern";

/** The newest revision. */
export const LATEST_REVISION = "2026-07-28";

/** The newest revision with a handshake: what to offer in `initialize`. */
export const LATEST_LEGACY_REVISION = "2025-11-25";

/** A revision with a handshake. */
export type LegacyRevision = Exclude<Revision, typeof LATEST_REVISION>;

/** Whether this is the name of a revision that this SDK speaks. */
export function isRevision(value: unknown): value is Revision {
  return (REVISIONS as readonly unknown[]).includes(value);
}

/** The era that a revision belongs to. */
export function eraOf(revision: Revision): Era {
  return revision > LATEST_LEGACY_REVISION ? "modern" : "legacy";
}

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
