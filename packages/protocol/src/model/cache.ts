import type { Result } from "./result.ts";

/** Who may reuse a cached result: `public` anybody, `private` only the same authorization. */
export type CacheScope = "public" | "private";

/** How long and for whom a result stays usable. Absent in 2025-11-25 and earlier. */
export interface CacheHints {
  /** Milliseconds for which the result counts as fresh; 0 means it is stale at once, and is what absence means. */
  ttlMs?: number | undefined;
  /** Sent as `private` unless stated. */
  cacheScope?: CacheScope | undefined;
}

/** A result that a client may keep. */
export interface CacheableResult extends Result, CacheHints {}
