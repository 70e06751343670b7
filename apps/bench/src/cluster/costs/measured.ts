/** The figures of a run, as the arithmetic needs them. */
import { summarize } from "../../measure/statistics.ts";
import type { ClusterFigures } from "../figures.ts";
import type { EngineName, MeasuredOperation } from "../wiring.ts";
import type { Measured } from "./model.ts";
import type { Operation } from "./operations.ts";

/** Operations that are not measured, and those that cost as much. */
const LIKE: Readonly<Record<Operation, MeasuredOperation>> = {
  "sessions.create": "sessions.create",
  "sessions.get": "sessions.get",
  "sessions.touch": "sessions.touch",
  "sessions.update": "sessions.update",
  "sessions.claim": "sessions.claim",
  "sessions.release": "sessions.update",
  "sessions.end": "sessions.create",
  "events.append": "events.append",
  "events.read": "events.read",
  "events.takeOver": "sessions.claim",
  "bus.request": "bus.request",
  "bus.broadcast": "bus.broadcast",
  "bus.announce": "bus.announce",
  "bus.changesAfter": "events.read",
  delivery: "bus.broadcast",
};

/** Reads the figures of one engine out of a run; `undefined` if some of them are missing. */
export function readMeasured(figures: ClusterFigures, engine: Exclude<EngineName, "memory">): Measured | undefined {
  const costs = new Map(
    figures.operations.filter((each) => each.engine === engine).map((each) => [each.operation, each]),
  );
  const bytesOf = (what: string): number | undefined => {
    const found = figures.footprints.find((footprint) => footprint.what === what);
    return found && Math.max(found.heap ?? 0, found.resident);
  };
  const [idle, view, stream, record] = [
    bytesOf("idle"),
    bytesOf("view"),
    bytesOf("stream"),
    bytesOf(`record-${engine}`),
  ];
  const calls =
    figures.races.flatMap((race) => race.figures).find(({ name }) => name === `warm-${engine}`)?.costs ?? [];
  const isComplete = Object.values(LIKE).every((operation) => costs.has(operation)) && calls.length > 0;
  if (!isComplete || idle === undefined || view === undefined || stream === undefined || record === undefined) {
    return undefined;
  }
  const costOf = (operation: Operation, part: "engineCpu" | "nodeCpu"): number => {
    const cost = costs.get(LIKE[operation])?.[part] ?? 0;
    // A broadcast was measured with its sender and its receiver in one process.
    return operation === "delivery" ? cost / 2 : cost;
  };
  // Redis counts bytes. What Postgres gets and says is about as long.
  const sizes = figures.operations.flatMap(({ bytes }) => bytes ?? []);
  return {
    callCpu: summarize(calls).median,
    engineCpu: (operation) => costOf(operation, "engineCpu"),
    nodeCpu: (operation) => costOf(operation, "nodeCpu"),
    operationBytes: sizes.length === 0 ? 500 : summarize(sizes).median,
    idle,
    view,
    stream,
    record,
  };
}
