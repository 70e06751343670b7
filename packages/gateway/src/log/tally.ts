import type { CallTotals } from "./call-log.ts";
import { OUTCOMES, type Outcome } from "./call-record.ts";
import { BUCKETS, percentileOf } from "./histogram.ts";

/** Some calls that ended alike: one call of the list, or a row of a rollup. */
export interface CallCount {
  readonly outcome: Outcome;
  /** The bucket in the histogram of durations. */
  readonly bucket: number;
  readonly calls: number;
  readonly bytes: number;
}

/** Adds up calls to totals. */
export class Tally {
  readonly #byOutcome = new Map<Outcome, number>();
  readonly #histogram = Array.from({ length: BUCKETS }, () => 0);
  #bytes = 0;

  add(count: CallCount): void {
    this.#byOutcome.set(count.outcome, (this.#byOutcome.get(count.outcome) ?? 0) + count.calls);
    this.#histogram[count.bucket] = (this.#histogram[count.bucket] ?? 0) + count.calls;
    this.#bytes += count.bytes;
  }

  get calls(): number {
    let calls = 0;
    for (const count of this.#byOutcome.values()) calls += count;
    return calls;
  }

  get failures(): number {
    return this.calls - (this.#byOutcome.get("ok") ?? 0);
  }

  totals(): CallTotals {
    const byOutcome: { [O in Outcome]?: number } = {};
    for (const outcome of OUTCOMES) {
      const calls = this.#byOutcome.get(outcome);
      if (calls !== undefined) byOutcome[outcome] = calls;
    }
    return {
      calls: this.calls,
      failures: this.failures,
      byOutcome,
      p50: percentileOf(this.#histogram, 0.5),
      p95: percentileOf(this.#histogram, 0.95),
      p99: percentileOf(this.#histogram, 0.99),
      bytes: this.#bytes,
    };
  }
}
