import type { ProtocolViolation } from "@toolwire/protocol";

/** How many of a kind are told one by one, and how many milliseconds pass before the number of the others is told. */
const TOLD = 10;
const TELL_AGAIN_MS = 60_000;

interface Kind {
  told: number;
  /** How many came since, and when one was last told. */
  untold: number;
  lastTold: number;
}

/** Counts how often a server breaks the protocol in the same way, so that one which does so without end fills no log. */
export class RepeatedViolations {
  readonly #kinds = new Map<string, Kind>();

  /** Returns the text of a diagnostic, or `undefined` if the violation is only counted. */
  describe({ code, message }: ProtocolViolation): string | undefined {
    const now = performance.now();
    const kind = this.#kinds.get(code) ?? { told: 0, untold: 0, lastTold: now };
    this.#kinds.set(code, kind);
    if (kind.told < TOLD) {
      kind.told += 1;
      kind.lastTold = now;
      const last = kind.told === TOLD ? " Further ones of this kind are counted, and told of once a minute." : "";
      return `The server broke the protocol: ${message}${last}`;
    }
    kind.untold += 1;
    if (now - kind.lastTold < TELL_AGAIN_MS) return undefined;
    const times = kind.untold;
    kind.untold = 0;
    kind.lastTold = now;
    return `The server broke the protocol in this way ${times} times more: ${message}`;
  }
}
