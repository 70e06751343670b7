/** Entry point of a client process: `main.js CLIENT`. */
import { basename } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Throughput, Window } from "../load/load.ts";
import { answerCommands } from "../processes/commands.ts";
import { type MemoryUse, readMemory } from "../processes/memory.ts";
import { echoText } from "../workload/requests.ts";
import { Meter } from "./meter.ts";
import type { Caller, ClientContender, ClientTarget } from "./client.ts";

/** The commands of a client process. */
export interface ClientCommands {
  connect(argument: ClientTarget): Promise<void>;
  measure(argument: { inFlight: number } & Window): Promise<ClientThroughput>;
  memory(argument: undefined): MemoryUse;
}

/** A client that has not finished its calls soon after it was told to stop is not fit for another round. */
interface ClientThroughput extends Throughput {
  readonly isDrained: boolean;
}

const DRAIN_LIMIT_MS = 1_000;

const [name = ""] = process.argv.slice(2);
const { client } = (await import(`./${basename(name)}.js`)) as { client: ClientContender };
let call: Caller;
let expected = "";

answerCommands<ClientCommands>({
  async connect(target) {
    call = await client.connect(target);
    expected = echoText(target.bytes);
    const text = await call();
    if (text !== expected) throw new Error(`Wrong answer: ${text.slice(0, 200)}`);
  },
  async measure({ inFlight, settleMs, ms }) {
    const meter = new Meter({ settleMs, ms });
    const lane = async (): Promise<void> => {
      while (!meter.isOver) {
        const text = await call();
        if (meter.count() ? text !== expected : text.length !== expected.length) {
          throw new Error(`Wrong answer: ${text.slice(0, 200)}`);
        }
      }
    };
    const lanes = Promise.all(Array.from({ length: inFlight }, lane)).then(() => true);
    const throughput = await Promise.race([meter.result, lanes.then(() => meter.result)]);
    return { ...throughput, isDrained: await Promise.race([lanes, wait(DRAIN_LIMIT_MS, false)]) };
  },
  memory: readMemory,
});
