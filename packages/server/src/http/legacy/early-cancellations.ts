import { isId, type RequestId } from "@toolwire/protocol";

/** How many ids are remembered, of either kind. */
const REMEMBERED = 32;

/** Longer ids are not remembered: how long they are is the choice of whoever sends them. */
const LONGEST_ID = 64;

/** For how long cancellations are remembered: a request that was overtaken is on its way already. */
const MAX_AGE_MS = 1000;

/**
 * The cancellations of one client that came ahead of their requests. Over HTTP each POST may take a socket of its own, and
 * the small one is often faster. Most cancellations of unknown ids are something else: they come after the answer, or
 * from a bridge that names the id of another connection. So they count for a short time only, ids that were answered just
 * now are remembered as well, and a request that is stopped by one is answered with an error.
 */
export class EarlyCancellations {
  /** When each came, the latest last. */
  #cancelled: Map<RequestId, number> | undefined;
  /** A ring of the requests that were met last. */
  readonly #met: unknown[] = [];
  #next = 0;

  /** An id was cancelled under which nothing is in the works. It may be anything. */
  add(id: unknown): void {
    if (!isSensible(id) || this.#met.includes(id)) return;
    const cancelled = (this.#cancelled ??= new Map());
    cancelled.delete(id);
    cancelled.set(id, performance.now());
    const [oldest] = cancelled.keys();
    if (cancelled.size > REMEMBERED) cancelled.delete(oldest!);
  }

  /** Whether this request, which has just come, was cancelled before. To be asked once for each. */
  take(id: RequestId): boolean {
    const time = this.#cancelled?.get(id);
    if (time === undefined) return false;
    this.#cancelled?.delete(id);
    this.meet(id);
    return performance.now() - time < MAX_AGE_MS;
  }

  /** There was a request of this id, which may be over by now: what is said about it from now on is not early. */
  meet(id: unknown): void {
    if (!isSensible(id)) return;
    this.#met[this.#next] = id;
    this.#next = (this.#next + 1) % REMEMBERED;
  }
}

function isSensible(id: unknown): id is RequestId {
  return isId(id) && `${id}`.length <= LONGEST_ID;
}
