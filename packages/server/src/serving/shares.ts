/** The least share of anybody: below that, sharing would refuse callers that use a server in the usual way. */
const LEAST = 10;

/** How much of something limited one caller may hold unless an option says otherwise: a tenth, but at least 10. */
export function shareOf(max: number): number {
  return Math.min(max, Math.max(LEAST, Math.ceil(max / 10)));
}

/** Counts what each caller holds of something that is limited, so that no caller can take all of it. */
export class Shares {
  readonly #max: number;
  readonly #held = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether a caller may hold one more. Callers that cannot be told apart share the whole. */
  hasRoom(caller: string | undefined): boolean {
    return caller === undefined || (this.#held.get(caller) ?? 0) < this.#max;
  }

  /** A caller holds one more. */
  take(caller: string | undefined): void {
    if (caller !== undefined) this.#held.set(caller, (this.#held.get(caller) ?? 0) + 1);
  }

  /** A caller holds one less. */
  release(caller: string | undefined): void {
    if (caller === undefined) return;
    const held = (this.#held.get(caller) ?? 0) - 1;
    if (held > 0) this.#held.set(caller, held);
    else this.#held.delete(caller);
  }
}
