import type { StoreAddress } from "../stores/store.ts";

/** What is to be measured. */
export interface FigureJob {
  readonly store: StoreAddress;
  /** How many quick tasks are timed. */
  readonly quick: number;
  /** How many tasks are open at the same time. */
  readonly open: number;
}

/** What was measured of a store. */
export interface Figures {
  readonly tasksPerSecond: number;
  readonly open: number;
  /** How many bytes the heap has grown by while so many tasks are open. */
  readonly heap: number;
}
