/** When a request may be sent again, and after how long. */
import type { HttpMethod } from "../request/request-spec.ts";

/** Statuses that say that the request may succeed later. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Methods that may be repeated without a second effect (RFC 9110, section 9.2.2). */
const REPEATABLE: ReadonlySet<HttpMethod> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

const FIRST_DELAY = 200;
const LONGEST_DELAY = 5000;
/** An API that wants a longer pause gets no further request: its response is the result. */
const LONGEST_RETRY_AFTER = 10_000;

/** Whether sending this request twice has the same effect as sending it once. */
export function isRepeatable(method: HttpMethod): boolean {
  return REPEATABLE.has(method);
}

/** Whether a status says that the request may succeed later. */
export function isTemporary(status: number): boolean {
  return TEMPORARY.has(status);
}

/**
 * How many milliseconds to wait before the next attempt, at random, so that many callers do not return at once. `undefined` if
 * the API wants a pause that is too long.
 */
export function retryDelay(attempt: number, retryAfter: string | undefined): number | undefined {
  const jitter = Math.random() * Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (attempt - 1));
  if (retryAfter === undefined) return jitter;
  const asked = readRetryAfter(retryAfter);
  if (asked === undefined) return jitter;
  return asked > LONGEST_RETRY_AFTER ? undefined : Math.max(asked, jitter);
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function readRetryAfter(value: string): number | undefined {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
