import { constants } from "node:os";

/** What the end of the process depends on. */
export interface Ending {
  /** Begins to end the process in good order. */
  end(): void;
  /** Whether that has begun. */
  isEnding(): boolean;
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** How often to look whether the parent is still there, in milliseconds. */
const PARENT_INTERVAL_MS = 1000;

/**
 * Ends the process in good order when it is told to, or when its parent has died; at once if it is told while it ends
 * already. End of input usually tells of a dead parent first, unless some other process holds the other end of the pipe.
 * Never keeps the process alive.
 */
export function watchProcess(ending: Ending): void {
  const onSignal = (signal: NodeJS.Signals): void => {
    if (ending.isEnding()) process.exit(128 + constants.signals[signal]);
    ending.end();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);

  // POSIX gives an orphan another parent. On Windows the id never changes, and end of input has to do.
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) ending.end();
  }, PARENT_INTERVAL_MS);
  timer.unref();
}
