/** Entry point of the load process of the cluster benchmark. */
import { exchange } from "../load/http-exchange.ts";
import { HttpLoad, readMessage } from "../load/http-load.ts";
import { type Load, measureLoad, type LoadThroughput, type Window } from "../load/load.ts";
import { openSessions } from "../load/targets.ts";
import { answerCommands } from "../processes/commands.ts";
import { checkAnswer } from "../workload/answers.ts";
import { callParams, Ids, prepareMessage, preparePost, protocolHeaders } from "../workload/requests.ts";
import type { Call } from "../workload/scenario.ts";

/** Where and how a contender is called. */
interface LoadTarget {
  readonly contender: string;
  /** The ports at which sessions are opened, and calls are sent. */
  readonly opening: number;
  readonly calling: number;
  readonly era: "modern" | "legacy";
  /** How many sessions the calls are spread over; 0 if they belong to none. */
  readonly sessions: number;
  readonly inFlight: number;
}

/** The commands of the load process. */
export interface LoadCommands {
  /** Opens sessions, looks at one answer, and gets ready to measure. */
  prepare(target: LoadTarget): Promise<void>;
  measure(argument: { readonly contender: string } & Window): Promise<LoadThroughput>;
  close(contender: string): void;
}

const CALL: Call = { kind: "echo", bytes: 100 };
/** What `checkAnswer` has to know; only lists of tools depend on how many there are. */
const EXPECTATION = { call: CALL, tools: 3 };

const ids = new Ids();
const loads = new Map<string, Load>();
let reportFailure: ((error: Error) => void) | undefined;

// A wrong answer is found in the middle of reading it; it ends the measurement, not the process.
process.on("uncaughtException", (error) => reportFailure?.(error));

answerCommands<LoadCommands>({
  async prepare({ contender, opening, calling, era, sessions, inFlight }) {
    loads.get(contender)?.close();
    const message = prepareMessage("tools/call", callParams(CALL, era));
    const lanes = sessions === 0 ? [{}] : await openSessions(opening, sessions);
    const own = protocolHeaders(CALL, era);
    const requests = lanes.map((lane) => preparePost(message, { port: calling, headers: { ...own, ...lane } }));
    const [first] = requests;
    if (first === undefined) throw new Error("There is nothing to send.");
    const response = await exchange(calling, first);
    if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${readMessage(response).slice(0, 400)}`);
    checkAnswer(readMessage(response), EXPECTATION);
    const all = sessions === 0 ? Array.from({ length: inFlight }, () => first) : requests;
    loads.set(
      contender,
      new HttpLoad({ port: calling, connections: inFlight, requests: all, expectation: EXPECTATION, ids }),
    );
  },
  async measure({ contender, ...window }) {
    const load = loads.get(contender);
    if (load === undefined) throw new Error(`There is nothing for "${contender}" yet.`);
    const failure = new Promise<never>((_, reject) => {
      reportFailure = reject;
    });
    return Promise.race([measureLoad(load, window), failure]);
  },
  close(contender) {
    loads.get(contender)?.close();
    loads.delete(contender);
  },
});
