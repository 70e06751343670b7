import { NOTES } from "../workers/assignment.ts";
import type { PromiseName } from "./promises.ts";

/** What a client has seen of a task. */
export interface SeenEnd {
  /** The call that it was made for. */
  readonly call: string;
  /** The first answer of a task that had ended, as JSON; `undefined` if there was none. */
  readonly first: string | undefined;
  /** The answer in the very end, as JSON, or what a server has said instead. */
  readonly last: string | undefined;
}

/** Everything that is known after a run. */
export interface History {
  /** By the ids of tasks. */
  readonly tasks: ReadonlyMap<string, SeenEnd>;
  /** What workers have written down, in the order in which they have. */
  readonly journal: readonly string[];
  /** How many tasks are open in the store. */
  readonly open: number;
  /** How many workers have ended although nobody has told them to. */
  readonly died: number;
}

/** A promise that was not kept. */
interface Broken {
  readonly promise: PromiseName;
  readonly count: number;
  /** A few cases of it. */
  readonly examples: readonly string[];
}

/** What a run has come to. */
export interface Verdict {
  readonly tasks: number;
  /** How often a handler was begun again. */
  readonly begunAgain: number;
  /** How many steps were done again, because the process was killed before the store had kept them: no promise forbids that. */
  readonly repeatedSteps: number;
  readonly broken: readonly Broken[];
}

const MAX_EXAMPLES = 5;

/** Compares what clients have seen with what workers have written down. */
export function judge({ tasks, journal, open, died }: History): Verdict {
  const cases: { readonly promise: PromiseName; readonly example: string }[] = [];
  const fail = (promise: PromiseName, example: string): void => void cases.push({ promise, example });

  for (const [id, { call, first, last }] of tasks) {
    if (first === undefined || last === undefined) fail("is-found", `${id}: ${first ?? last ?? "no answer"}`);
    else if (!isCompleted(first, call)) fail("right-outcome", `${call}: ${first}`);
    else if (first !== last) fail("ends-once", `${call}: ${first}, and then ${last}`);
  }

  const begun = new Map<string, number>();
  const done = new Set<string>();
  const kept = new Set<string>();
  let repeatedSteps = 0;
  for (const line of journal) {
    const space = line.indexOf(" ");
    const [note, what] = [line.slice(0, space), line.slice(space + 1)];
    if (note === NOTES.begun) begun.set(what, (begun.get(what) ?? 0) + 1);
    if (note === NOTES.kept) kept.add(what);
    if (note === "complaint") fail("workers-survive", what);
    if (note !== NOTES.step) continue;
    if (kept.has(what)) fail("keeps-steps", what);
    else if (done.has(what)) repeatedSteps += 1;
    done.add(what);
  }
  if (open > 0) fail("leaves-none", `${open} tasks`);
  if (died > 0) fail("workers-survive", `${died} workers have ended by themselves`);

  const begunAgain = [...begun.values()].reduce((sum, times) => sum + times - 1, 0);
  const names = [...new Set(cases.map(({ promise }) => promise))];
  const broken = names.map((promise) => {
    const examples = cases.filter((each) => each.promise === promise).map(({ example }) => example);
    return { promise, count: examples.length, examples: examples.slice(0, MAX_EXAMPLES) };
  });
  return { tasks: tasks.size, begunAgain, repeatedSteps, broken };
}

function isCompleted(answer: string, call: string): boolean {
  const { status, result } = JSON.parse(answer) as { status?: string; result?: { content?: { text?: string }[] } };
  return status === "completed" && result?.content?.[0]?.text === call;
}
