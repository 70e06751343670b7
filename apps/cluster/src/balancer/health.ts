import { get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

/** How often each server is asked how it is. */
const INTERVAL_MS = 200;

/** How long it may take to say so, and how often in a row it may fail to: this machine is busy. */
const TIMEOUT_MS = 1000;
const MAX_FAILURES = 2;

/** How a server is. */
export interface State {
  /** Whether requests should be sent there. */
  readonly isReady: boolean;
  /** Whether it reaches its engine. */
  readonly reachesEngine: boolean;
}

const DOWN: State = { isReady: false, reachesEngine: false };

/** Why there was no answer: nobody takes connections, or it was not given in time. */
type NoAnswer = "refused" | "failed";

/** Asks servers again and again how they are, at the path that Kubernetes would ask. */
export class HealthChecks {
  readonly #states = new Map<number, State>();
  readonly #over = new AbortController();
  readonly #loops: Promise<void>[] = [];

  /** Begins to ask a server. */
  watch(port: number): void {
    this.#states.set(port, DOWN);
    this.#loops.push(this.#askAgainAndAgain(port));
  }

  of(port: number): State {
    return this.#states.get(port) ?? DOWN;
  }

  /** A server did not take a connection: nothing is sent there until it has been asked again. */
  notReached(port: number): void {
    this.#states.set(port, DOWN);
  }

  /** Resolves when a server is ready and reaches its engine, as it says. */
  async untilReady(port: number): Promise<void> {
    while (!this.#over.signal.aborted && !(this.of(port).isReady && this.of(port).reachesEngine)) {
      await delay(INTERVAL_MS / 4);
    }
  }

  async close(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#loops);
  }

  async #askAgainAndAgain(port: number): Promise<void> {
    const { signal } = this.#over;
    let failures = 0;
    while (!signal.aborted) {
      const state = await ask(port);
      failures = state === "failed" ? failures + 1 : 0;
      if (typeof state === "object") this.#states.set(port, state);
      else if (state === "refused" || failures >= MAX_FAILURES) this.#states.set(port, DOWN);
      await delay(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

function ask(port: number): Promise<State | NoAnswer> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/readyz", agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text));
      response.on("error", () => resolve("failed"));
      response.on("end", () => {
        const isReady = response.statusCode === 200;
        resolve({ isReady, reachesEngine: !body.includes('"engine":"down"') });
      });
    });
    request.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "ECONNREFUSED" ? "refused" : "failed"));
    request.setTimeout(TIMEOUT_MS, () => {
      resolve("failed");
      request.destroy();
    });
  });
}
