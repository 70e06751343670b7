/** The cost of each operation of an engine: how long it takes, and how much CPU of the engine and of the node. */
import { readCpuTime } from "../processes/cpu-time.ts";
import { Worker } from "../processes/worker.ts";
import type { RunningEngines } from "./engines.ts";
import type { OperatorCommands } from "./operator.ts";
import { type EngineName, MEASURED, type MeasuredOperation } from "./wiring.ts";

/** One operation of one engine. */
export interface OperationCost {
  readonly engine: EngineName;
  readonly operation: MeasuredOperation;
  /** Milliseconds of a call while no other is in flight. */
  readonly ms: number;
  /** Calls per second with 64 in flight. */
  readonly rate: number;
  /** Microseconds of CPU that a call costs the engine, and the process that calls it. */
  readonly engineCpu: number;
  readonly nodeCpu: number;
  /** Bytes that go to the engine and back, where it says so. */
  readonly bytes?: number;
}

/** Measures engines that are processes of their own. One that fails is left out, and said. */
export async function measureOperations(
  engines: RunningEngines,
  calls: number,
  fail: (what: string, error: unknown) => void,
): Promise<OperationCost[]> {
  const costs: OperationCost[] = [];
  for (const engine of ["redis", "postgres"] as const) {
    const reason = engines.reasonWithout(engine);
    if (reason !== undefined) {
      fail(`operations of ${engine}`, new Error(reason));
      continue;
    }
    const operator = new Worker<OperatorCommands>({
      script: new URL("operator.js", import.meta.url),
      role: "measured",
      arguments: [JSON.stringify(engines.addressOf(engine))],
    });
    try {
      for (const operation of MEASURED) {
        costs.push(await measureOperation(operator, engines, { engine, operation, calls }));
      }
    } catch (error) {
      fail(`operations of ${engine}`, error);
    } finally {
      await operator.stop();
    }
  }
  return costs;
}

async function measureOperation(
  operator: Worker<OperatorCommands>,
  engines: RunningEngines,
  {
    engine,
    operation,
    calls,
  }: { readonly engine: EngineName; readonly operation: MeasuredOperation; readonly calls: number },
): Promise<OperationCost> {
  await operator.ask("run", { operation, count: calls });
  const ms = await operator.ask("time", { operation, count: Math.ceil(calls / 10) });
  const cpu = (): [engine: number, node: number] => [
    engines.pidsOf(engine).reduce((sum, pid) => sum + (readCpuTime(pid) ?? 0), 0),
    operator.pid === undefined ? 0 : (readCpuTime(operator.pid) ?? 0),
  ];
  const before = cpu();
  const sent = await engines.readTraffic(engine);
  const took = await operator.ask("run", { operation, count: calls });
  const after = cpu();
  const received = await engines.readTraffic(engine);
  const cost = (index: 0 | 1): number => ((after[index] - before[index]) * 1000) / calls;
  return {
    engine,
    operation,
    ms,
    rate: (calls / took) * 1000,
    engineCpu: cost(0),
    nodeCpu: cost(1),
    ...(sent !== undefined && received !== undefined && { bytes: (received - sent) / calls }),
  };
}
