import type { Clock } from "../../../src/auth/node/lease.ts";
import type { Files } from "../../../src/auth/node/numbered-files.ts";

/** A step of a process that has not been taken. */
interface Step {
  readonly machine: Machine;
  take(): void;
}

/** A moment that a process waits for, or that calls it back. */
interface Moment extends Step {
  readonly at: number;
  /** Whether a process does nothing else until then. */
  readonly isWait: boolean;
}

/** One simulated process. A crashed one takes no further step; a stopped one takes none until it is resumed. */
export class Machine {
  isStopped = false;
  isCrashed = false;
  /** Whether it runs an operation whose end is not known yet. */
  isBusy = false;

  get isLive(): boolean {
    return !this.isStopped && !this.isCrashed;
  }
}

/** About how long a wait takes. */
const WAIT_MS = 800;

/** What happened to the content of a folder: a file has got a name. */
export interface LinkEvent {
  readonly folder: string;
  readonly number: number;
  /** The highest number before. */
  readonly highest: number;
  readonly content: string;
}

/**
 * Several processes with one disk and one clock. Each operation on a file, and each message to a server, is a step of its own, and
 * the test says whose step is next. Time goes on only when every process that runs waits for it.
 */
export class SimulatedMachines {
  time = 0;
  readonly folders = new Map<string, Map<string, Uint8Array>>();
  readonly #steps: Step[] = [];
  readonly #moments: Moment[] = [];
  readonly #onLink: (event: LinkEvent) => void;
  readonly #random: () => number;

  constructor(random: () => number, onLink: (event: LinkEvent) => void) {
    this.#random = random;
    this.#onLink = onLink;
  }

  /** Takes one step of a process that runs. Resolves to `false` if none can be taken, nor any time be waited for. */
  async advance(): Promise<boolean> {
    const steps = this.#steps.filter(({ machine }) => machine.isLive);
    const moments = this.#moments.filter(({ machine, at }) => machine.isLive && at <= this.time);
    const choices = [...steps, ...moments];
    if (choices.length > 0) {
      const chosen = choices[Math.floor(this.#random() * choices.length)]!;
      for (const list of [this.#steps, this.#moments] as Step[][]) {
        const index = list.indexOf(chosen);
        if (index >= 0) list.splice(index, 1);
      }
      chosen.take();
      await this.settle();
      return true;
    }
    const next = Math.min(...this.#moments.filter(({ machine }) => machine.isLive).map(({ at }) => at));
    if (next === Infinity) return false;
    this.time = next;
    return true;
  }

  /** Waits until every process that runs has asked for its next step. */
  async settle(): Promise<void> {
    const asks = (machine: Machine): boolean =>
      this.#steps.some((step) => step.machine === machine) ||
      this.#moments.some((moment) => moment.machine === machine && moment.isWait);
    const idle = (machine: Machine): boolean => !machine.isBusy || machine.isCrashed || asks(machine);
    do await new Promise((resolve) => setImmediate(resolve));
    while (![...this.#known].every(idle));
  }

  readonly #known = new Set<Machine>();

  start(): Machine {
    const machine = new Machine();
    this.#known.add(machine);
    return machine;
  }

  /** Something that happens at once, when it is the turn of its process. */
  step<T>(machine: Machine, action: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const take = (): void => {
        try {
          resolve(action());
        } catch (error) {
          reject(error as Error);
        }
      };
      this.#steps.push({ machine, take });
    });
  }

  clockOf(machine: Machine): Clock {
    return {
      now: () => this.time,
      // Every wait takes longer than it should, so that a lease is over after some steps rather than hundreds.
      wait: () =>
        new Promise((resolve) => {
          const at = this.time + WAIT_MS * (0.5 + this.#random());
          this.#moments.push({ machine, at, isWait: true, take: resolve });
        }),
      after: (ms, callback) => {
        const moment = { machine, at: this.time + ms, isWait: false, take: callback };
        this.#moments.push(moment);
        return () => {
          const index = this.#moments.indexOf(moment);
          if (index >= 0) this.#moments.splice(index, 1);
        };
      },
    };
  }

  filesOf(machine: Machine): Files {
    const contentOf = (folder: string): Map<string, Uint8Array> => {
      const content = this.folders.get(folder) ?? new Map<string, Uint8Array>();
      this.folders.set(folder, content);
      return content;
    };
    return {
      list: (folder) => this.step(machine, () => [...contentOf(folder).keys()]),
      read: (folder, name) => this.step(machine, () => contentOf(folder).get(name)),
      write: (folder, name, bytes) =>
        this.step(machine, () => {
          contentOf(folder).set(name, bytes);
        }),
      link: (folder, from, to) =>
        this.step(machine, () => {
          const content = contentOf(folder);
          const bytes = content.get(from);
          if (bytes === undefined || content.has(to)) return false;
          const highest = Math.max(0, ...[...content.keys()].map(Number).filter((number) => number > 0));
          content.set(to, bytes);
          this.#onLink({ folder, number: Number(to), highest, content: new TextDecoder().decode(bytes) });
          return true;
        }),
      remove: (folder, name) =>
        this.step(machine, () => {
          contentOf(folder).delete(name);
        }),
    };
  }
}

/** Random numbers that are the same each time (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
