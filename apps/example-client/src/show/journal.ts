import type { RequestId } from "@toolwire/protocol";

/** A request, as seen on the wire. */
export interface JournaledCall {
  readonly id: RequestId;
  /** The how manieth call of this act it was to be sent: 1 is the first. */
  readonly position: number;
  /** When it was sent, in milliseconds (`performance.now`). */
  readonly sentAt: number;
  answeredAt: number | undefined;
  /** The how manieth of this act it was to be answered. */
  arrival: number | undefined;
  /** How many calls that were sent before it were still waiting when its answer came. */
  overtaken: number;
}

/** The totals of the traffic over one transport. */
export interface Totals {
  calls: number;
  /** Answers that carried the id of a call that was waiting. */
  matched: number;
  /** Answers that came before that of an earlier call. */
  outOfOrder: number;
  /** Answers that were errors, of the protocol or of a tool. */
  errors: number;
  cancelled: number;
}

/** Keeps book of one transport: which requests were sent, in which order they were answered. */
export class Journal {
  /** Whether anything is written down. What it takes to connect is not part of the show. */
  isOpen = false;
  readonly totals: Totals = { calls: 0, matched: 0, outOfOrder: 0, errors: 0, cancelled: 0 };
  /** Hears of every answer. */
  onAnswer: ((call: JournaledCall) => void) | undefined;
  #calls: JournaledCall[] = [];
  readonly #waiting = new Map<RequestId, JournaledCall>();
  #answers = 0;

  /** The calls of this act, in the order in which they were sent. */
  get calls(): readonly JournaledCall[] {
    return this.#calls;
  }

  /** Begins a new act. */
  turnPage(): void {
    this.#calls = [];
    this.#answers = 0;
  }

  sent(id: RequestId): void {
    if (!this.isOpen) return;
    this.totals.calls += 1;
    const call: JournaledCall = {
      id,
      position: this.#calls.length + 1,
      sentAt: performance.now(),
      answeredAt: undefined,
      arrival: undefined,
      overtaken: 0,
    };
    this.#calls.push(call);
    this.#waiting.set(id, call);
  }

  answered(id: RequestId | undefined, isError: boolean): void {
    const call = id === undefined ? undefined : this.#waiting.get(id);
    if (call === undefined) return;
    for (const earlier of this.#waiting.values()) {
      if (earlier === call) break;
      call.overtaken += 1;
    }
    this.#waiting.delete(call.id);
    this.#answers += 1;
    call.answeredAt = performance.now();
    call.arrival = this.#answers;
    this.totals.matched += 1;
    if (call.overtaken > 0) this.totals.outOfOrder += 1;
    if (isError) this.totals.errors += 1;
    this.onAnswer?.(call);
  }

  cancelled(id: RequestId): void {
    if (this.#waiting.delete(id)) this.totals.cancelled += 1;
  }
}
