/** Everything that a run has measured. */
import type { Footprint } from "./footprints.ts";
import type { Latencies } from "./latencies.ts";
import type { OperationCost } from "./operations.ts";
import type { RaceFigures } from "./rates.ts";
import type { Operation } from "./simulation/counting.ts";
import type { Load } from "./costs/operations.ts";

/** The figures of a run. They can be written as JSON, and read again. */
export interface ClusterFigures {
  /** Where and how they were measured. */
  readonly circumstances: string;
  readonly races: readonly RaceFigures[];
  readonly footprints: readonly Footprint[];
  readonly latencies: readonly Latencies[];
  readonly operations: readonly OperationCost[];
  readonly simulation: SimulationFigures | undefined;
  /** What could not be measured, and why. */
  readonly failures: readonly string[];
}

/** A simulation, and what the arithmetic says of the same load. */
export interface SimulationFigures {
  readonly load: Load;
  readonly seconds: number;
  readonly messages: number;
  /** Per second. */
  readonly counted: readonly (readonly [Operation, number])[];
}
