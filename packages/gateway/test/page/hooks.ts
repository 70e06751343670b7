/** Hooks without a page: a component's function runs, its effects run after it, and leaving it cleans up. */

interface Effect {
  readonly inputs: readonly unknown[] | undefined;
  readonly end: unknown;
}

/** Stands in for `preact/hooks`, as in `vi.mock("preact/hooks", () => hooks.module)`. */
export class HookHost {
  readonly #slots: unknown[] = [];
  #next = 0;
  readonly #waiting: (() => void)[] = [];

  readonly module = {
    useState: <T>(initial: T | (() => T)): [T, (change: T | ((before: T) => T)) => void] => {
      const slot = this.#next;
      this.#next += 1;
      if (!(slot in this.#slots)) this.#slots[slot] = valueOf(initial, undefined);
      const set = (change: T | ((before: T) => T)): void => {
        this.#slots[slot] = valueOf(change as T | ((before: unknown) => T), this.#slots[slot]);
      };
      return [this.#slots[slot] as T, set];
    },
    useEffect: (run: () => unknown, inputs?: readonly unknown[]): void => {
      const slot = this.#next;
      this.#next += 1;
      const before = this.#slots[slot] as Effect | undefined;
      const isSame = before?.inputs?.every((input, index) => Object.is(input, inputs?.[index])) === true;
      if (isSame) return;
      this.#waiting.push(() => {
        end(before);
        this.#slots[slot] = { inputs, end: run() } satisfies Effect;
      });
    },
  };

  /** Draws once: runs the function, and then the effects whose inputs have changed. */
  draw<T>(component: () => T): T {
    this.#next = 0;
    const drawn = component();
    for (const run of this.#waiting.splice(0)) run();
    return drawn;
  }

  /** Leaves the page: all effects end, and nothing is known any more. */
  leave(): void {
    for (const slot of this.#slots.splice(0)) end(slot as Effect | undefined);
  }
}

function end(effect: Effect | undefined): void {
  if (typeof effect === "object" && typeof effect.end === "function") (effect.end as () => void)();
}

function valueOf<T>(change: T | ((before: unknown) => T), before: unknown): T {
  return typeof change === "function" ? (change as (before: unknown) => T)(before) : change;
}
