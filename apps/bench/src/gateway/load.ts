/** Entry point of the load process of the gateway benchmark. */
import { quantile } from "../measure/statistics.ts";
import { exchange, openSession } from "../load/http-exchange.ts";
import { HttpLoad, readMessage } from "../load/http-load.ts";
import { type Load, measureLoad, type LoadThroughput, type Window } from "../load/load.ts";
import { answerCommands } from "../processes/commands.ts";
import { Ids, type PreparedRequest, prepareMessage, preparePost } from "../workload/requests.ts";
import { bodyOf, callParams, checkResult, type Size } from "./workload.ts";

/** Where and how a contender is called. */
export interface LoadTarget {
  readonly contender: string;
  readonly port: number;
  readonly path: string;
  /** `get`: the API itself; `post`: a call without a session; `session`: one in a session, as legacy servers want it. */
  readonly how: "get" | "post" | "session";
  readonly size: Size;
  readonly inFlight: number;
}

/** The time of calls, one after the other, in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly calls: number;
}

/** The commands of the load process. */
export interface GatewayLoadCommands {
  /** Looks at one answer, and gets ready to measure. */
  prepare(target: LoadTarget): Promise<void>;
  measure(argument: { readonly contender: string } & Window): Promise<LoadThroughput>;
  time(argument: { readonly contender: string } & Window): Promise<Latency>;
}

const ids = new Ids();
const loads = new Map<string, Load>();
const sessions = new Map<string, Record<string, string>>();
let reportFailure: ((error: Error) => void) | undefined;

// A wrong answer is found in the middle of reading it; it ends the measurement, not the process.
process.on("uncaughtException", (error) => reportFailure?.(error));

answerCommands<GatewayLoadCommands>({
  async prepare(target) {
    const { contender, port, size, inFlight, how } = target;
    loads.get(contender)?.close();
    const request = await prepareRequest(target);
    const check = (message: string): void => {
      if (how !== "get") checkResult(size, message);
      else if (message !== bodyOf(size)) throw new Error(`Wrong answer: ${message.slice(0, 400)}`);
    };
    const response = await exchange(port, request);
    if (response.status !== 200) {
      throw new Error(`HTTP ${response.status}: ${Buffer.concat(response.body).toString().slice(0, 400)}`);
    }
    check(readMessage(response));
    const requests = Array.from({ length: inFlight }, () => request);
    loads.set(contender, new HttpLoad({ port, connections: inFlight, requests, expectation: check, ids }));
  },
  measure: ({ contender, ...window }) => unlessFailed(measureLoad(find(contender), window)),
  time: ({ contender, ...window }) => unlessFailed(timeCalls(find(contender), window)),
});

async function prepareRequest({ contender, port, path, how, size }: LoadTarget): Promise<PreparedRequest> {
  if (how === "get") {
    const start = `GET /items/${size}?id=`;
    const text = `${start}100000000 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
    return { bytes: Buffer.from(text), idOffset: start.length };
  }
  const message = prepareMessage("tools/call", callParams(size));
  if (how === "post") return preparePost(message, { port, path, headers: {} });
  const headers = sessions.get(contender) ?? (await openSession(port, path));
  sessions.set(contender, headers);
  return preparePost(message, { port, path, headers });
}

/** With one call in flight, the next is sent when one is answered: the time between two answers is that of a call. */
async function timeCalls(load: Load, { settleMs, ms }: Window): Promise<Latency> {
  const times: number[] = [];
  let last = performance.now();
  const from = last + settleMs;
  const onAnswer = (): void => {
    const now = performance.now();
    if (last >= from) times.push(now - last);
    last = now;
  };
  const timed: Load = {
    start: (count) =>
      load.start(() => {
        onAnswer();
        count();
      }),
    drain: () => load.drain(),
    close: () => load.close(),
  };
  await measureLoad(timed, { settleMs, ms });
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), calls: sorted.length };
}

async function unlessFailed<T>(work: Promise<T>): Promise<T> {
  const failure = new Promise<never>((_, reject) => {
    reportFailure = reject;
  });
  return Promise.race([work, failure]);
}

function find(contender: string): Load {
  const load = loads.get(contender);
  if (load === undefined) throw new Error(`There is nothing for "${contender}" yet.`);
  return load;
}
