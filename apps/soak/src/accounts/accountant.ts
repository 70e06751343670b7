import type { Cell } from "../cells.ts";
import { laneOf, type Executions } from "./executions.ts";
import { FaultLog } from "./fault-log.ts";
import { endsServer, formatId, type CallRecord, type FaultRecord } from "./history.ts";
import { findBrokenPromise, REPEAT_ATTEMPTS, saysUnexecuted, type PromiseName } from "./promises.ts";

/** A broken promise, how often it was broken, and some of the occasions. */
interface Problem {
  readonly promise: PromiseName;
  count: number;
  readonly examples: string[];
}

/** The outcomes of the calls of one cell. */
export interface Account {
  readonly cell: Cell;
  calls: number;
  answered: number;
  /** Cancelled or timed out because the caller wanted it so. */
  givenUp: number;
  /** The other failures, by code. */
  readonly failed: Map<string, number>;
  /** Sendings beyond the first that the client does by itself, such as in a new session. */
  sentAgain: number;
  /** Sendings beyond the first of calls that `retry` may repeat. */
  retried: number;
  executedTwice: number;
  lost: number;
  doubled: number;
  restarts: number;
  /** Connections that were reset, cut or stalled. */
  cuts: number;
  readonly problems: Map<PromiseName, Problem>;
}

/** The records that calls are compared with. */
export interface Books {
  readonly cells: readonly Cell[];
  readonly faults: readonly FaultRecord[];
  readonly executions: Executions;
}

const MAX_EXAMPLES = 3;

/** The state of a lane that makes one call at a time. */
interface LaneState {
  /** The number of its latest call that has settled. */
  latest: number;
  settled: number;
  /** The connection with which a call of it has failed. */
  lostWith: number | undefined;
}

/**
 * Compares what every caller was told with what servers have executed and with the faults there were. Calls are added one
 * by one, those of a lane in their order, so that a long run fits into memory.
 */
export class Accountant {
  readonly #books: Books;
  readonly #accounts: readonly Account[];
  readonly #faults: readonly FaultLog[];
  readonly #lanes = new Map<string, LaneState>();

  constructor(books: Books) {
    this.#books = books;
    this.#faults = books.cells.map((_, index) => new FaultLog(books.faults.filter(({ cell }) => cell === index)));
    this.#accounts = books.cells.map((cell, index) => openAccount(cell, this.#faults[index]!));
  }

  /** Takes account of a call that has settled. */
  add(call: CallRecord): void {
    const { id, outcome, kind } = call;
    const account = this.#accounts[id.cell]!;
    const lane = this.#enter(call, account);
    if (lane === undefined) return;
    account.calls += 1;
    account[kind === "repeatable" ? "retried" : "sentAgain"] += Math.max(call.sends - this.#roundsOf(call) - 1, 0);
    this.#compareExecutions(call, account);
    const hasLostBefore = lane.lostWith === call.connections;
    const faults = this.#faultsFor(call);
    const broken = findBrokenPromise(call, { cell: account.cell, faults, hasLostBefore });
    if (broken !== undefined) note(account, broken, describeCall(call));
    if (broken === "answers-in-time") account.lost += 1;
    if (outcome.type === "answered") account.answered += 1;
    else if (outcome.type === "cancelled" || (kind === "late" && outcome.code === "TIMEOUT")) account.givenUp += 1;
    else {
      const code = outcome.status === undefined ? `${outcome.code}` : `${outcome.code} (HTTP ${outcome.status})`;
      account.failed.set(code, (account.failed.get(code) ?? 0) + 1);
      if (broken === undefined && outcome.status === undefined) lane.lostWith = call.connections;
    }
  }

  /** Takes note of something that was seen during the run. */
  note(cell: number, promise: PromiseName, example: string): void {
    const account = this.#accounts[cell]!;
    if (promise === "one-response") account.doubled += 1;
    note(account, promise, example);
  }

  /** Closes the books: `made` says how many calls each lane has begun. */
  finish(made: ReadonlyMap<string, number>): readonly Account[] {
    for (const [lane, count] of made) {
      const missing = count - (this.#lanes.get(lane)?.settled ?? 0);
      const account = this.#accounts[Number(lane.split(".")[0])]!;
      account.lost += Math.max(missing, 0);
      if (missing > 0) note(account, "settles-once", `${missing} of lane ${lane} never settled`, missing);
    }
    for (const id of this.#books.executions.rest()) {
      // A call that never settled may have been executed.
      if ((made.get(laneOf(id)) ?? 0) > id.number) continue;
      note(this.#accounts[id.cell]!, "executes-once", `${formatId(id)} was executed, but never made`);
    }
    return this.#accounts;
  }

  #enter({ id }: CallRecord, account: Account): LaneState | undefined {
    const key = laneOf(id);
    const lane = this.#lanes.get(key) ?? { latest: -1, settled: 0, lostWith: undefined };
    this.#lanes.set(key, lane);
    if (id.number <= lane.latest) {
      account.doubled += 1;
      note(account, "settles-once", `${formatId(id)} settled twice`);
      return undefined;
    }
    lane.latest = id.number;
    lane.settled += 1;
    return lane;
  }

  #compareExecutions(call: CallRecord, account: Account): void {
    const { id, outcome, kind } = call;
    const count = this.#books.executions.take(id);
    const limit = kind === "repeatable" ? REPEAT_ATTEMPTS : 1;
    if (count > limit) {
      account.executedTwice += 1;
      note(account, "executes-once", `${describeCall(call)}, executed ${count} times`);
    }
    if (outcome.type === "answered" && count === 0) note(account, "answer-means-executed", describeCall(call));
    // The error of a call that is repeated is that of its last attempt.
    const isUnexecuted = outcome.type === "failed" && kind !== "repeatable" && saysUnexecuted(outcome);
    if (isUnexecuted && count > 0) note(account, "unsent-means-unexecuted", describeCall(call));
  }

  /** A modern server asks by an answer, and the call is made again with what the user said. */
  #roundsOf({ id, questions }: CallRecord): number {
    return this.#accounts[id.cell]!.cell.era === "modern" ? questions : 0;
  }

  #faultsFor({ id, begun, settled }: CallRecord): readonly FaultRecord[] {
    const faults = this.#faults[id.cell]!.during(begun, settled);
    const route = this.#accounts[id.cell]!.cell.routes[id.client];
    return route === "proxy" ? faults : faults.filter(endsServer);
  }
}

function openAccount(cell: Cell, { restarts, cuts }: FaultLog): Account {
  return {
    cell,
    calls: 0,
    answered: 0,
    givenUp: 0,
    failed: new Map(),
    sentAgain: 0,
    retried: 0,
    executedTwice: 0,
    lost: 0,
    doubled: 0,
    restarts,
    cuts,
    problems: new Map(),
  };
}

function note({ problems }: Account, promise: PromiseName, example: string, count = 1): void {
  const problem = problems.get(promise) ?? { promise, count: 0, examples: [] };
  problems.set(promise, problem);
  problem.count += count;
  if (problem.examples.length < MAX_EXAMPLES) problem.examples.push(example);
}

function describeCall({ id, kind, begun, settled, outcome, connections, sends }: CallRecord): string {
  const times = `${Math.round(begun)} to ${Math.round(settled)} ms, connection ${connections}, sent ${sends}x`;
  const told =
    outcome.type === "failed"
      ? `${outcome.error} ${outcome.code}${outcome.status === undefined ? "" : ` (HTTP ${outcome.status})`}: ${outcome.message}`
      : outcome.type;
  return `${formatId(id)} ${kind} (${times}): ${told}`;
}
