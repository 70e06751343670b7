/** Entry point of a server process: `serve.js CONTENDER WIRING`, where the wiring is JSON. */
import { basename } from "node:path";
import type { Contender } from "../contenders/contender.ts";
import type { Wiring } from "../workload/scenario.ts";
import { answerCommands } from "./commands.ts";
import { type MemoryUse, readMemory } from "./memory.ts";

/** The commands of a server process. */
export interface ServerCommands {
  port(argument: undefined): number | undefined;
  memory(argument: undefined): MemoryUse;
}

const [name = "", wiring = ""] = process.argv.slice(2);
// Only the one that is measured gets loaded.
const { contender } = (await import(`../contenders/${basename(name)}.js`)) as { contender: Contender };
const port = await contender.serve(JSON.parse(wiring) as Wiring);
if (process.send !== undefined) answerCommands<ServerCommands>({ port: () => port, memory: readMemory });
