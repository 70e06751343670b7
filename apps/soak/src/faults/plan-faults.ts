import type { FaultKind } from "../accounts/history.ts";
import { titleOf, type Cell } from "../cells.ts";
import { Random } from "../random.ts";

/** A fault that is to happen to one cell. */
export interface PlannedFault {
  /** Milliseconds after the start of the run. It happens later if the one before takes that long. */
  readonly at: number;
  readonly kind: FaultKind;
  /**
   * For how many milliseconds: how long a server stays down (over stdio, how long the next one takes to start), how long
   * answers are cut, or how long a stall goes unnoticed.
   */
  readonly ms: number;
}

/** Calls run undisturbed for this long at first and at last, in milliseconds. */
const CALM_MS = 1000;

/** Most faults leave time for calls to run, some follow at once. */
const GAPS = { long: 4, short: 1 } as const;
const SHORT_GAP_MS: readonly [number, number] = [0, 150];
const LONG_GAP_MS: readonly [number, number] = [500, 2000];

const SERVER_FAULTS: Readonly<Partial<Record<FaultKind, number>>> = { kill: 3, stop: 1 };
const WIRE_FAULTS: Readonly<Partial<Record<FaultKind, number>>> = { kill: 3, stop: 1, reset: 1, cut: 1, stall: 1 };

/** Plans the faults of one cell. The same seed always makes the same plan, whatever other cells there are. */
export function planFaults(seed: number, cell: Cell, runMs: number): PlannedFault[] {
  const random = new Random(seed, "faults", titleOf(cell));
  const weights = cell.routes.includes("proxy") ? WIRE_FAULTS : SERVER_FAULTS;
  const plan: PlannedFault[] = [];
  let at = CALM_MS;
  for (;;) {
    at += random.between(...(random.pick(GAPS) === "long" ? LONG_GAP_MS : SHORT_GAP_MS));
    if (at > runMs - CALM_MS) return plan;
    const kind = random.pick(weights as Record<FaultKind, number>);
    plan.push({ at, kind, ms: random.between(...durationOf(kind, random)) });
  }
}

/** A server is back at once every other time, which may surprise clients more than a long absence. */
function durationOf(kind: FaultKind, random: Random): readonly [number, number] {
  if (kind === "reset") return [0, 0];
  if (kind === "cut") return [50, 200];
  if (kind === "stall") return [100, 800];
  return random.next() < 0.5 ? [0, 0] : [100, 700];
}
