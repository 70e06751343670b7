/**
 * Durations are counted in 64 buckets, each 1.26 times as wide as the one before, from 0.1 ms to 200 s. Counts can be added
 * up over hours, tools and gateways, which percentiles cannot: those are read from the counts when somebody asks.
 */

export const BUCKETS = 64;
const FACTOR = 1.26;
const LOWEST = 0.1;
const LOG_FACTOR = Math.log(FACTOR);

/** The bucket of a duration: bucket 0 ends at 0.1 ms, bucket n at 0.1 ms times 1.26 to the power of n. */
export function bucketOf(durationMs: number): number {
  if (!(durationMs > LOWEST)) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(Math.log(durationMs / LOWEST) / LOG_FACTOR));
}

/**
 * The duration that stands for a bucket: the harmonic mean of its ends, from which both are equally far in proportion. It is
 * at most 11.6 % from any duration in the bucket.
 */
export function durationOf(bucket: number): number {
  const duration = bucket === 0 ? LOWEST : (LOWEST * FACTOR ** bucket * 2) / (1 + FACTOR);
  return Number(duration.toPrecision(4));
}

/** The duration below which a share of the calls ended (0.95 for p95); `undefined` if there were none. */
export function percentileOf(counts: readonly number[], share: number): number | undefined {
  let total = 0;
  for (const count of counts) total += count;
  if (total === 0) return undefined;
  const rank = Math.max(1, Math.ceil(total * share));
  let seen = 0;
  for (const [bucket, count] of counts.entries()) {
    seen += count;
    if (seen >= rank) return durationOf(bucket);
  }
  return undefined;
}
