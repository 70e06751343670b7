import type { ProtocolViolation } from "@toolwire/protocol";

/** How many violations of a kind are reported one by one; how many milliseconds pass before the count of others is reported. */
const MAX_REPORTS = 10;
const REPORT_INTERVAL_MS = 60_000;

interface Kind {
  reports: number;
  /** How many came since the last report, and when that was. */
  unreported: number;
  lastReport: number;
}

/** Counts how often a server breaks the protocol in the same way, so that endless repetitions do not fill a log. */
export class RepeatedViolations {
  readonly #kinds = new Map<string, Kind>();

  /** Returns the text of a diagnostic, or `undefined` if the violation is only counted. */
  describe({ code, message }: ProtocolViolation): string | undefined {
    const now = performance.now();
    const kind = this.#kinds.get(code) ?? { reports: 0, unreported: 0, lastReport: now };
    this.#kinds.set(code, kind);
    if (kind.reports < MAX_REPORTS) {
      kind.reports += 1;
      kind.lastReport = now;
      const last =
        kind.reports === MAX_REPORTS ? " Further ones of this kind are counted, and told of once a minute." : "";
      return `The server broke the protocol: ${message}${last}`;
    }
    kind.unreported += 1;
    if (now - kind.lastReport < REPORT_INTERVAL_MS) return undefined;
    const times = kind.unreported;
    kind.unreported = 0;
    kind.lastReport = now;
    return `The server broke the protocol in this way ${times} times more: ${message}`;
  }
}
