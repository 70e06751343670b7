import type { Result } from "./result.ts";

/** Who may reuse a cached result: `public` means anybody, `private` only callers with the same authorization. */
export type CacheScope = "public" | "private";

/** How long, and for whom, a result may be cached. Absent in 2025-11-25 and earlier. */
export interface CacheHints {
  /** How many milliseconds the result is fresh. 0, or absent: it is stale at once. */
  ttlMs?: number | undefined;
  /** Default: `private`. */
  cacheScope?: CacheScope | undefined;
}

/** A result that a client may cache. */
export interface CacheableResult extends Result, CacheHints {}
