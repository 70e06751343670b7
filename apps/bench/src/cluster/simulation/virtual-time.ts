/** Time that passes only when it is told to, so that hours of a cluster take seconds. */

interface Timer {
  readonly callback: () => void;
  /** Of intervals. */
  readonly period: number | undefined;
  due: number;
}

/** What stands in for the object that Node returns for a timer. */
interface Handle {
  ref(): Handle;
  unref(): Handle;
  hasRef(): boolean;
  refresh(): Handle;
}

/** Timers that fire early would loop at once. */
const LEAST_MS = 1;

/**
 * The timers and the clocks of this process, while it is installed. Timers of Node itself, such as those of streams and sockets, go on in real
 * time.
 */
export class VirtualTime {
  readonly #real = { setTimeout, clearTimeout, setInterval, clearInterval };
  readonly #clocks = [
    [performance, Object.getOwnPropertyDescriptor(performance, "now")],
    [Date, Object.getOwnPropertyDescriptor(Date, "now")],
  ] as const;
  readonly #timers = new Map<Handle, Timer>();
  readonly #startedAt = Date.now();
  #now = 0;

  /** The time since it was installed, in milliseconds. */
  get now(): number {
    return this.#now;
  }

  install(): void {
    const add = (callback: () => void, ms: number | undefined, isInterval: boolean): Handle => {
      const period = Math.max(ms ?? 0, LEAST_MS);
      const timer: Timer = { callback, period: isInterval ? period : undefined, due: this.#now + period };
      const handle: Handle = {
        ref: () => handle,
        unref: () => handle,
        hasRef: () => false,
        refresh: () => {
          timer.due = this.#now + period;
          return handle;
        },
      };
      this.#timers.set(handle, timer);
      return handle;
    };
    const remove = (handle: unknown): void => void this.#timers.delete(handle as Handle);
    Object.assign(globalThis, {
      setTimeout: (callback: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
        add(() => callback(...given), ms, false),
      setInterval: (callback: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
        add(() => callback(...given), ms, true),
      clearTimeout: remove,
      clearInterval: remove,
    });
    performance.now = () => this.#now;
    Date.now = () => this.#startedAt + this.#now;
  }

  uninstall(): void {
    Object.assign(globalThis, this.#real);
    for (const [clock, own] of this.#clocks) {
      // `performance` inherits it.
      if (own === undefined) Reflect.deleteProperty(clock, "now");
      else Object.defineProperty(clock, "now", own);
    }
    this.#timers.clear();
  }

  /** Lets time pass up to this moment. Timers fire in their order, and what they begin goes on before the next one does. */
  async advanceTo(time: number): Promise<void> {
    for (let next = this.#findNext(time); next !== undefined; next = this.#findNext(time)) {
      const [handle, timer] = next;
      this.#now = Math.max(this.#now, timer.due);
      if (timer.period === undefined) this.#timers.delete(handle);
      else timer.due += timer.period;
      timer.callback();
      await settle();
    }
    this.#now = Math.max(this.#now, time);
  }

  #findNext(time: number): readonly [Handle, Timer] | undefined {
    let next: readonly [Handle, Timer] | undefined;
    for (const entry of this.#timers) {
      if (entry[1].due <= time && (next === undefined || entry[1].due < next[1].due)) next = entry;
    }
    return next;
  }
}

/** Lets everything run that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise<void>((resolve) => void setImmediate(resolve));
}
