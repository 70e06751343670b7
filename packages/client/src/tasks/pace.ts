/** When to look at a task again: as often as the server wants, more seldom while it cannot be reached. */
import { AuthError, ErrorCode, RpcError, TransportError } from "@toolwire/protocol";

/** How many milliseconds pass between two looks if the server does not say. */
const DEFAULT_INTERVAL = 1_000;

/** The shortest and the longest time between two looks, whatever the server wants. */
const SHORTEST_INTERVAL = 50;
const LONGEST_INTERVAL = 60_000;

/** The time between two looks while the server announces changes. It may forget to, and must not be relied on. */
const ANNOUNCED_INTERVAL = 30_000;

/** The first wait after a failure, which doubles with each further one. */
const FIRST_BACKOFF = 500;

/** The longest time that a server may keep a client waiting by `Retry-After`. */
const LONGEST_RETRY_AFTER = 600_000;

/** The milliseconds between two looks at a task. They are a little longer each time, so that clients do not all look at once. */
export function intervalOf(wanted: unknown, isAnnounced: boolean): number {
  const given = typeof wanted === "number" && !Number.isNaN(wanted) ? wanted : DEFAULT_INTERVAL;
  const interval = Math.min(Math.max(given, SHORTEST_INTERVAL), LONGEST_INTERVAL);
  return (isAnnounced ? Math.max(interval, ANNOUNCED_INTERVAL) : interval) * (1 + Math.random() / 10);
}

/** Counts the failures of one task in a row. */
export class Failures {
  readonly #patience: number;
  #count = 0;
  #since = 0;

  /** `patience`: for how many milliseconds the server may be out of reach. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** Notes that the server has answered. */
  clear(): void {
    this.#count = 0;
  }

  /** Notes a failure. Returns the milliseconds to wait, or throws the error if that is of no use. */
  delayAfter(error: unknown): number {
    if (this.#count === 0) this.#since = Date.now();
    if (!isPassing(error) || Date.now() - this.#since >= this.#patience) throw error;
    const backoff = Math.min(FIRST_BACKOFF * 2 ** this.#count, LONGEST_INTERVAL) * (0.5 + Math.random() / 2);
    this.#count = Math.min(this.#count + 1, 20);
    const { refusal } = error as RpcError | TransportError;
    return Math.max(backoff, Math.min(refusal?.retryAfter ?? 0, LONGEST_RETRY_AFTER));
  }
}

/** The errors of a server that will answer the same request by the same error. */
const LASTING: ReadonlySet<number> = new Set([
  ErrorCode.InvalidParams,
  ErrorCode.InvalidRequest,
  ErrorCode.MethodNotFound,
  ErrorCode.MissingRequiredClientCapability,
]);

/** Whether a failure says nothing about the task: a broken line, a busy server, a store that is down. */
export function isPassing(error: unknown): boolean {
  if (error instanceof AuthError) return false;
  if (error instanceof TransportError) return error.code !== "CLOSED";
  return error instanceof RpcError && (error.refusal?.isTemporary === true || !LASTING.has(error.code));
}
