import type { RelayEvent } from "@toolwire/relay";
import type { GatewayEvent } from "../gateway.ts";

/** How long a reason that comes back is not repeated, in milliseconds: at first, and at most. Each time it doubles. */
const FIRST_PAUSE = 60_000;
const LONGEST_PAUSE = 3_600_000;

/** So many reasons are remembered of each upstream. */
const MAX_REASONS = 50;

interface Said {
  /** Whether it has not ended since. */
  isCurrent: boolean;
  /** When it may be said again. */
  next: number;
  pause: number;
}

/**
 * Passes on what upstreams report: each reason for a failure once, and again only after the upstream has recovered. An upstream
 * that keeps failing and recovering is reported less and less often.
 */
export class UpstreamReports {
  readonly #server: string;
  readonly #report: (event: GatewayEvent) => void;
  readonly #now: () => number;
  /** By upstream and reason. */
  readonly #said = new Map<string, Map<string, Said>>();

  constructor(server: string, report: (event: GatewayEvent) => void, now: () => number = Date.now) {
    this.#server = server;
    this.#report = report;
    this.#now = now;
  }

  /** Passes on an event, unless its reason was said and nothing has changed. */
  take({ level, upstream, message, error, isFailure }: RelayEvent): void {
    if (isFailure === true && !this.#isNews(upstream, message)) return;
    // How a connection was made is of interest to those who look for a fault.
    const shown = level === "info" ? "debug" : level;
    this.#report({
      level: shown,
      server: this.#server,
      upstream,
      message: `The upstream ${upstream}: ${message}`,
      error,
    });
  }

  /** An upstream has been listed: what was wrong with it is over. */
  recovered(upstream: string): void {
    const reasons = this.#said.get(upstream);
    if (reasons === undefined) return;
    let wasFailing = false;
    for (const said of reasons.values()) {
      wasFailing ||= said.isCurrent;
      said.isCurrent = false;
    }
    const message = `The upstream ${upstream} works again.`;
    if (wasFailing) this.#report({ level: "info", server: this.#server, upstream, message });
  }

  #isNews(upstream: string, message: string): boolean {
    const reasons = this.#said.get(upstream) ?? new Map<string, Said>();
    this.#said.set(upstream, reasons);
    // Process ids, ports and times change from one attempt to the next.
    const reason = message.replaceAll(/\d+/g, "0");
    const now = this.#now();
    const said = reasons.get(reason);
    if (said === undefined) {
      for (const oldest of reasons.keys()) {
        if (reasons.size < MAX_REASONS) break;
        reasons.delete(oldest);
      }
      reasons.set(reason, { isCurrent: true, next: now + FIRST_PAUSE, pause: FIRST_PAUSE });
      return true;
    }
    if (said.isCurrent || now < said.next) return false;
    said.isCurrent = true;
    said.pause = Math.min(said.pause * 2, LONGEST_PAUSE);
    said.next = now + said.pause;
    return true;
  }
}
