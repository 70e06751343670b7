import type { Random } from "@toolwire/evidence/load";

/** All server processes of a run: machines that meet in an engine, or the workers of one program. */
export interface Fleet {
  /** The ports that requests are balanced over. */
  readonly ports: readonly number[];
  /** What went wrong with the processes themselves. */
  readonly complaints: readonly string[];
  /** Starts all. Resolves when they serve. */
  start(): Promise<void>;
  /** Kills one process that serves, if another one serves as well. It is started again. Returns whether one was killed. */
  kill(random: Random): boolean;
  /** Stops one process for so many milliseconds, and lets it go on, if another one serves as well. */
  pause(random: Random, ms: number): Promise<boolean>;
  /** Resolves when all serve. */
  untilAllServe(): Promise<void>;
  /** Replaces all processes, one after the other, as for a new version. Returns how many. */
  replaceAll(): Promise<number>;
  /** Ends all. */
  close(): Promise<void>;
}

/** What fleets are made of. */
export interface FleetOptions {
  readonly count: number;
  readonly journal: string;
  /** In the environment of all processes, to find those that were left behind. */
  readonly mark: string;
  /** Resolves when requests are sent to a port again. */
  readonly untilReady: (port: number) => Promise<void>;
}

/** How long processes may take to start, to drain or to go. The machine may be busy. */
const PLENTY_MS = 60_000;

/** Rejects after a while that no process should need. */
export async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${PLENTY_MS} ms.`)), PLENTY_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
