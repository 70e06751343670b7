/** The engines that run for the whole benchmark, on the core of the load. */
import type { EngineAddress, EngineName } from "./wiring.ts";

/** The engines that could be started, and why others could not. */
export interface RunningEngines {
  /** Why contenders of an engine cannot take part; `undefined` if they can. */
  reasonWithout(engine: EngineName | undefined): string | undefined;
  addressOf(engine: EngineName): EngineAddress;
  /** The processes of an engine; none for the one in memory. */
  pidsOf(engine: EngineName | undefined): readonly number[];
  /** How much an engine keeps, in bytes, as it says itself. */
  readBytes(engine: EngineName): Promise<number>;
  stop(): Promise<void>;
}

/** Starts engines. One that this machine does not have is left out. */
export async function startEngines(): Promise<RunningEngines> {
  return {
    reasonWithout: (engine) => (engine === undefined || engine === "memory" ? undefined : "it is not there"),
    addressOf: (name) => ({ name }),
    pidsOf: () => [],
    readBytes: async () => 0,
    stop: async () => {},
  };
}
