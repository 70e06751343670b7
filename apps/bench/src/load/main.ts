/** Entry point of the load process. One serves the whole run, so that every contender meets the same, warm generator. */
import { answerCommands } from "../processes/commands.ts";
import type { MemoryUse } from "../processes/memory.ts";
import { Ids } from "../workload/requests.ts";
import type { Wiring } from "../workload/scenario.ts";
import { type Load, measureLoad, type Throughput, type Window } from "./load.ts";
import { StdioServer } from "./stdio-server.ts";
import { openSessions, prepareLoad, type TargetOptions } from "./targets.ts";

/** The commands of the load process. */
export interface LoadCommands {
  startStdio(argument: { readonly contender: string; readonly wiring: Wiring }): Promise<void>;
  readStdioMemory(contender: string): Promise<MemoryUse>;
  stopStdio(contender: string): void;
  /** Looks at a server's answers, and gets ready to measure it. */
  prepare(argument: TargetOptions): Promise<void>;
  measure(argument: { readonly contender: string } & Window): Promise<Throughput>;
  /** Opens legacy sessions that nobody will use. */
  openSessions(argument: { readonly port: number; readonly count: number }): Promise<void>;
}

const ids = new Ids();
const stdioServers = new Map<string, StdioServer>();
const loads = new Map<string, Load>();
let reportFailure: ((error: Error) => void) | undefined;

// A wrong answer is found in the middle of reading it; it ends the measurement, not the process.
process.on("uncaughtException", (error) => reportFailure?.(error));

answerCommands<LoadCommands>({
  async startStdio({ contender, wiring }) {
    stdioServers.set(contender, await StdioServer.start(contender, wiring));
  },
  readStdioMemory: (contender) => find(stdioServers, contender).readMemory(),
  stopStdio(contender) {
    stdioServers.get(contender)?.stop();
    stdioServers.delete(contender);
  },
  async prepare(options) {
    const { contender, wiring } = options;
    loads.get(contender)?.close();
    const pipes = wiring.transport === "stdio" ? find(stdioServers, contender).pipes : undefined;
    loads.set(contender, await prepareLoad(options, ids, pipes));
  },
  async measure({ contender, ...window }) {
    const failure = new Promise<never>((_, reject) => {
      reportFailure = reject;
    });
    return Promise.race([measureLoad(find(loads, contender), window), failure]);
  },
  async openSessions({ port, count }) {
    await openSessions(port, count);
  },
});

function find<T>(map: ReadonlyMap<string, T>, contender: string): T {
  const found = map.get(contender);
  if (found === undefined) throw new Error(`There is nothing for "${contender}" yet.`);
  return found;
}
