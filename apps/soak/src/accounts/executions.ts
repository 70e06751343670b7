import { formatId, parseId, type CallId } from "./history.ts";

/** How often each call was executed, by what servers have written down. Holds little for each call: there may be millions. */
export class Executions {
  readonly #lanes = new Map<string, number[]>();

  /** Notes that a server has executed a call. */
  add(id: string): void {
    const { number, ...lane } = parseId(id);
    const key = laneOf(lane);
    const counts = this.#lanes.get(key) ?? [];
    this.#lanes.set(key, counts);
    while (counts.length <= number) counts.push(0);
    counts[number]! += 1;
  }

  /** How often a call was executed. It is accounted for by this. */
  take(id: CallId): number {
    const counts = this.#lanes.get(laneOf(id));
    const count = counts?.[id.number] ?? 0;
    if (count > 0) counts![id.number] = 0;
    return count;
  }

  /** The calls that nobody has accounted for. */
  *rest(): Generator<CallId> {
    for (const [lane, counts] of this.#lanes) {
      for (const [number, count] of counts.entries()) {
        if (count > 0) yield parseId(`${lane}.${number}`);
      }
    }
  }
}

/** The lane that a call belongs to. */
export function laneOf({ cell, client, lane }: Omit<CallId, "number">): string {
  return formatId({ cell, client, lane, number: 0 }).replace(/\.0$/, "");
}
