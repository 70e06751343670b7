import { answerTo } from "../servers/task.ts";
import type { CallRecord, Era } from "./history.ts";
import type { PromiseName } from "./promises.ts";

/** Everything that was written down about one engine and number of processes. */
export interface Books {
  readonly calls: readonly CallRecord[];
  /** The numbers of calls, once for each time that one had its effect. */
  readonly effects: readonly string[];
  /** The calls whose handlers have begun to work until they are cancelled, and those that were. */
  readonly begun: readonly string[];
  readonly cancelled: readonly string[];
  /** The calls whose streams were cut. */
  readonly cut: ReadonlySet<string>;
  readonly lostSessions: number;
  /** What servers have complained about, or was found out about their processes. */
  readonly complaints: readonly string[];
  /** Second answers to a call, as clients have reported them. */
  readonly secondAnswers: readonly string[];
}

/** The figures of one era. */
export interface Account {
  readonly era: Era;
  calls: number;
  /** Those of the official SDKs. */
  bySdk: number;
  answered: number;
  /** Cancelled by their callers. */
  cancelled: number;
  notRun: number;
  mayHaveRun: number;
  lost: number;
  /** Calls that had their effect twice. */
  doubled: number;
  /** Streams that were cut, and calls of these that were answered all the same. */
  cut: number;
  resumed: number;
  missedReports: number;
  repeatedReports: number;
}

/** A promise that was broken, how often, and some of the occasions. */
interface Broken {
  readonly promise: PromiseName;
  count: number;
  readonly examples: string[];
}

export interface Verdict {
  readonly accounts: readonly Account[];
  readonly broken: readonly Broken[];
  /** The failures by client and code. */
  readonly failures: ReadonlyMap<string, number>;
}

const MAX_EXAMPLES = 5;

/** Compares what every caller was told with what servers have done. */
export function judge(books: Books): Verdict {
  const broken = new BrokenPromises();
  const accounts = { legacy: openAccount("legacy"), modern: openAccount("modern") };
  const effects = countAll(books.effects);
  const failures = new Map<string, number>();
  const known = new Set<string>();
  for (const record of books.calls) {
    if (known.has(record.call)) broken.note("settles-once", `${record.call} was recorded twice`);
    known.add(record.call);
    const count = effects.get(record.call) ?? 0;
    const account = accounts[record.era];
    enter(record, count, account, failures);
    for (const promise of promisesBrokenBy(record, count)) broken.note(promise, describe(record, count));
    countReports(record, account, broken);
    if (books.cut.has(record.call)) {
      account.cut += 1;
      if (record.outcome.type === "answered") account.resumed += 1;
    }
  }
  for (const call of effects.keys()) {
    if (!known.has(call)) broken.note("settles-once", `${call} had an effect, and no caller was told anything`);
  }
  checkCancellation(books, broken);
  if (books.lostSessions > 0) broken.note("keeps-sessions", "a 404 for a session in use", books.lostSessions);
  for (const complaint of books.complaints) broken.note("servers-survive", complaint);
  for (const answer of books.secondAnswers) broken.note("settles-once", answer);
  return { accounts: [accounts.legacy, accounts.modern], broken: broken.list(), failures };
}

class BrokenPromises {
  readonly #all = new Map<PromiseName, Broken>();

  note(promise: PromiseName, example: string, count = 1): void {
    const broken = this.#all.get(promise) ?? { promise, count: 0, examples: [] };
    this.#all.set(promise, broken);
    broken.count += count;
    if (broken.examples.length < MAX_EXAMPLES) broken.examples.push(example);
  }

  list(): readonly Broken[] {
    return [...this.#all.values()];
  }
}

function openAccount(era: Era): Account {
  return {
    era,
    calls: 0,
    bySdk: 0,
    answered: 0,
    cancelled: 0,
    notRun: 0,
    mayHaveRun: 0,
    lost: 0,
    doubled: 0,
    cut: 0,
    resumed: 0,
    missedReports: 0,
    repeatedReports: 0,
  };
}

function enter(
  { outcome, client, era }: CallRecord,
  effects: number,
  account: Account,
  failures: Map<string, number>,
): void {
  account.calls += 1;
  if (client.startsWith("SDK")) account.bySdk += 1;
  if (effects > 1) account.doubled += 1;
  if (outcome.type === "answered") account.answered += 1;
  else if (outcome.type === "cancelled") account.cancelled += 1;
  else if (outcome.type === "lost") account.lost += 1;
  else {
    account[outcome.ran === "no" ? "notRun" : "mayHaveRun"] += 1;
    const key = `${client}, ${era}: ${outcome.code}`;
    failures.set(key, (failures.get(key) ?? 0) + 1);
  }
}

function promisesBrokenBy({ call, era, outcome, isCalm }: CallRecord, effects: number): PromiseName[] {
  const broken: PromiseName[] = [];
  if (effects > 1) broken.push("runs-once");
  if (outcome.type === "lost") broken.push("settles-once");
  if (outcome.type === "answered") {
    if (outcome.text !== answerTo(call, era)) broken.push("right-answer");
    if (effects === 0) broken.push("answer-means-effect");
  }
  if (outcome.type === "failed") {
    if (outcome.ran === "unclear") broken.push("says-whether-it-ran");
    if (outcome.ran === "no" && effects > 0) broken.push("unread-means-not-run");
    if (isCalm) broken.push("calm-calls-succeed");
  }
  return broken;
}

function countReports(record: CallRecord, account: Account, broken: BrokenPromises): void {
  const { outcome, reports, reported } = record;
  if (outcome.type !== "answered") return;
  const distinct = new Set(reported);
  const missed = reports - distinct.size;
  const repeated = reported.length - distinct.size;
  account.missedReports += missed;
  account.repeatedReports += repeated;
  const isInOrder = reported.every((report, index) => report === index + 1);
  if (missed > 0 || !isInOrder) {
    broken.note("reports-in-order", `${record.call} of ${record.client}: ${reported.join(" ")}`);
  }
}

/** While there are faults, a cancellation may get lost: it is no more than advice. */
function checkCancellation({ calls, begun, cancelled }: Books, broken: BrokenPromises): void {
  const hadBegun = new Set(begun);
  const wasCancelled = new Set(cancelled);
  for (const { call, client, outcome, isCalm } of calls) {
    if (!isCalm || outcome.type !== "cancelled" || !hadBegun.has(call) || wasCancelled.has(call)) continue;
    broken.note("calm-cancellation", `${call} of ${client}`);
  }
}

function countAll(calls: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const call of calls) counts.set(call, (counts.get(call) ?? 0) + 1);
  return counts;
}

function describe({ call, client, era, tool, outcome, begun, settled, reported }: CallRecord, effects: number): string {
  const times = `${Math.round(begun)} to ${Math.round(settled)} ms`;
  const told =
    outcome.type === "failed"
      ? `${outcome.code}: ${outcome.message}`
      : outcome.type === "answered"
        ? `answered ${JSON.stringify(outcome.text)}`
        : outcome.type;
  return `${call} of ${client}, ${era}, ${tool} (${times}, ${reported.length} reports, ${effects} effects): ${told}`;
}
