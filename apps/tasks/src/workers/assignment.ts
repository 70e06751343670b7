import type { StoreAddress } from "../stores/store.ts";

/** What a worker process is to do: its argument, as JSON. */
export interface Assignment {
  readonly store: StoreAddress;
  /** The file in which it writes down what it does. */
  readonly journal: string;
  /** How long its claim on a task holds if it is not renewed, in milliseconds. */
  readonly lease: number;
  /** How often it looks for tasks that nobody works at, in milliseconds. */
  readonly sweepInterval: number;
  /** How many tasks it runs at the same time. */
  readonly maxRunning: number;
  /** How long a task takes between its two steps, in milliseconds. */
  readonly work: number;
}

/** What a worker notes in its journal of a call, one line each. */
export const NOTES = {
  /** A run of the handler has begun. */
  begun: "begun",
  /** A step is done: `<call>/<step>`. */
  step: "step",
  /** The store has kept that it is done. */
  kept: "kept",
  /** The handler has come to its end. */
  ended: "ended",
} as const;
