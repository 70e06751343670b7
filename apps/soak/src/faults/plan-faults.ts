import type { FaultKind } from "../accounts/history.ts";
import { titleOf, type Cell } from "../cells.ts";
import { Random } from "@toolwire/evidence/load";

/** A fault that is to happen to one cell, some time after the one before. */
export interface PlannedFault {
  /** Whether the clients get an answer first. If not, it meets them while they still suffer from the fault before. */
  readonly awaitsAnswer: boolean;
  /** For how many milliseconds calls run undisturbed then. */
  readonly pauseMs: number;
  readonly kind: FaultKind;
  /**
   * For how many milliseconds: how long a server stays down (over stdio, how long the next one takes to start), how long
   * answers are cut, or how long a stall goes unnoticed.
   */
  readonly ms: number;
}

const SERVER_FAULTS: Readonly<Partial<Record<FaultKind, number>>> = { kill: 3, stop: 1 };
const WIRE_FAULTS: Readonly<Partial<Record<FaultKind, number>>> = { kill: 3, stop: 1, reset: 1, cut: 1, stall: 1 };

/**
 * Plans the faults of one cell, without end. The same seed always makes the same plan; how far a run gets with it depends
 * on its length and on the machine.
 */
export function* planFaults(seed: number, cell: Cell): Generator<PlannedFault, never> {
  const random = new Random(seed, "faults", titleOf(cell));
  const weights = cell.routes.includes("proxy") ? WIRE_FAULTS : SERVER_FAULTS;
  for (;;) {
    const awaitsAnswer = random.next() < 0.8;
    const pauseMs = awaitsAnswer ? random.between(200, 1500) : random.between(0, 150);
    const kind = random.pick(weights as Record<FaultKind, number>);
    yield { awaitsAnswer, pauseMs, kind, ms: random.between(...durationOf(kind, random)) };
  }
}

/** A server is back at once every other time, which may surprise clients more than a long absence. */
function durationOf(kind: FaultKind, random: Random): readonly [number, number] {
  if (kind === "reset") return [0, 0];
  if (kind === "cut") return [50, 200];
  if (kind === "stall") return [100, 800];
  return random.next() < 0.5 ? [0, 0] : [100, 700];
}
