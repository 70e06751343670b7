import type { CallKind } from "../accounts/history.ts";
import type { Cell } from "../cells.ts";
import type { Random } from "@toolwire/evidence/load";
import type { WorkArguments } from "../servers/task.ts";

/** A call as it is to be made. */
export interface CallPlan {
  readonly kind: CallKind;
  readonly tool: "work" | "look_up";
  readonly args: Omit<WorkArguments, "call">;
  readonly timeout: number;
  /** After how many milliseconds the caller cancels it. */
  readonly cancelAfter: number | undefined;
}

/** Far more than any call needs that is not meant to time out: whichever takes longer is lost. */
export const PLENTY_MS = 20_000;

const WEIGHTS: Readonly<Record<CallKind, number>> = {
  quick: 50,
  slow: 12,
  progress: 10,
  question: 8,
  cancelled: 8,
  late: 4,
  repeatable: 8,
};

/** Chooses the next call of a lane. */
export function planCall(random: Random, cell: Cell): CallPlan {
  const kind = random.pick(cell.asks ? WEIGHTS : { ...WEIGHTS, question: 0 });
  const effect = random.next() < 0.5 ? "first" : "last";
  // Long answers come in several pieces, and can be cut in the middle.
  const length = random.next() < 0.1 ? random.between(10_000, 100_000) : random.between(0, 500);
  const { args, ...changes } = KINDS[kind](random);
  return { ...QUICK, kind, ...changes, args: { ...QUICK.args, effect, length, ...args } };
}

/** A call that is answered at once. */
export const QUICK: CallPlan = {
  kind: "quick",
  tool: "work",
  args: { ms: 0, effect: "first", reports: 0, asks: false, isDeaf: false, length: 0 },
  timeout: PLENTY_MS,
  cancelAfter: undefined,
};

/** The properties that set the kinds of calls apart from a quick one. */
const KINDS: Readonly<Record<CallKind, (random: Random) => Changes>> = {
  quick: () => ({}),
  slow: (random) => ({ args: { ms: random.between(20, 300) } }),
  progress: (random) => ({ args: { ms: random.between(20, 300), reports: random.between(1, 5) } }),
  question: (random) => ({ args: { ms: random.between(0, 50), asks: true } }),
  cancelled: (random) => ({
    args: { ms: 500, isDeaf: random.next() < 0.5 },
    cancelAfter: random.between(0, 100),
  }),
  late: (random) => ({ args: { ms: 800, isDeaf: random.next() < 0.5 }, timeout: random.between(20, 200) }),
  repeatable: (random) => ({ args: { ms: random.between(0, 50) }, tool: "look_up" }),
};

type Changes = Partial<Omit<CallPlan, "args">> & { readonly args?: Partial<CallPlan["args"]> };
