import { RpcError, UsageError } from "@toolwire/protocol";
import { expectFunction, expectMilliseconds, expectOptions, type OptionNames } from "@toolwire/protocol/internal";
import type { Context } from "../define/context.ts";
import type { Awaitable } from "../define/tool.ts";
import { ToolError } from "../errors.ts";
import { runOf } from "./task-context.ts";

/** Work that is done elsewhere: by a build server, a workflow engine, a cloud. */
export interface DelegatedWork<Args, Ref, Result> {
  /**
   * Begins the work, and returns what it is found by later: JSON. If the process ends right now, it is called again: pass on
   * `ctx.task.key("start")` as the key by which the other side tells a repetition.
   */
  start(args: Args, ctx: Context): Awaitable<Ref>;
  /** Looks how far the work is. Throw a `ToolError` if it has failed; after other errors, it is called again. */
  poll(reference: Ref, ctx: Context): Awaitable<DelegatedState<Result>>;
  /**
   * Stops the work, because its task was cancelled or its time is up. It is called by the process that looks after the task; if that
   * has just ended, nobody calls it.
   */
  cancel?(reference: Ref): Awaitable<void>;
  /** How long to wait between two looks, in milliseconds. Default 5000. */
  readonly interval?: number | undefined;
}

/** How far work is that is done elsewhere. */
export type DelegatedState<Result> =
  | { readonly done: true; readonly result: Result }
  | {
      readonly done: false;
      /** What it is doing, for people and models. */
      readonly message?: string | undefined;
      readonly progress?: number | undefined;
      readonly total?: number | undefined;
    };

const NAMES: OptionNames<DelegatedWork<unknown, unknown, unknown>> = {
  start: true,
  poll: true,
  cancel: true,
  interval: true,
};

/** How often in a row looking may fail. */
const MAX_FAILURES = 20;
const LONGEST_INTERVAL = 60_000;

/**
 * Makes the `run` of a tool whose work is done elsewhere. Nothing of it is lost if the process ends, with `task: { resume: "replay" }`:
 * the reference is kept, and another process goes on looking. While it looks, it takes no place of `maxRunning`. Clients that do not
 * know tasks wait for the result.
 *
 * @example
 * ```ts
 * const build = tool({
 *   input: z.object({ branch: z.string() }),
 *   task: { resume: "replay", attempts: 1000, ttl: 6 * 3_600_000 },
 *   run: delegated({
 *     start: ({ branch }: { branch: string }, ctx) => ci.start(branch, { key: ctx.task.key("start") }),
 *     poll: async (id) => {
 *       const { state, log } = await ci.status(id);
 *       return state === "done" ? { done: true, result: log } : { done: false, message: state };
 *     },
 *     cancel: (id) => ci.stop(id),
 *   }),
 * });
 * ```
 */
export function delegated<Args, Ref, Result>(
  work: DelegatedWork<Args, Ref, Result>,
): (args: Args, ctx: Context) => Promise<Result> {
  expectOptions("delegated()", work, NAMES);
  for (const name of ["start", "poll"] as const) expectFunction(name, work[name]);
  if ("cancel" in work) expectFunction("cancel", work["cancel"]);
  const interval = expectMilliseconds("interval", work.interval, 5000, 1);
  return async (args, ctx) => {
    const reference = await ctx.once("start", () => work.start(args, ctx));
    runOf(ctx)?.rest();
    try {
      return await waitFor(work, reference, ctx, interval);
    } catch (error) {
      // Somebody else goes on if only this process has to stop.
      const isUnwanted = ctx.signal.aborted && runOf(ctx)?.mayGoOn !== true;
      if (isUnwanted) await work.cancel?.(reference);
      throw error;
    }
  };
}

async function waitFor<Args, Ref, Result>(
  work: DelegatedWork<Args, Ref, Result>,
  reference: Ref,
  ctx: Context,
  interval: number,
): Promise<Result> {
  let failures = 0;
  for (;;) {
    const state = await look(work, reference, ctx, failures);
    if (state === undefined) failures += 1;
    else if (state.done) return state.result;
    else {
      failures = 0;
      tell(state, ctx);
    }
    await pause(Math.min(interval * 2 ** failures, Math.max(interval, LONGEST_INTERVAL)), ctx.signal);
  }
}

/** Looks once. `undefined` if that was not possible, and may be so later. */
async function look<Args, Ref, Result>(
  work: DelegatedWork<Args, Ref, Result>,
  reference: Ref,
  ctx: Context,
  failures: number,
): Promise<DelegatedState<Result> | undefined> {
  try {
    return await work.poll(reference, ctx);
  } catch (error) {
    const isMeant = error instanceof ToolError || error instanceof RpcError || error instanceof UsageError;
    if (isMeant || ctx.signal.aborted || failures >= MAX_FAILURES) throw error;
    return undefined;
  }
}

function tell({ message, progress, total }: Exclude<DelegatedState<unknown>, { done: true }>, ctx: Context): void {
  if (progress !== undefined) ctx.progress(progress, total, message);
  if (message !== undefined) ctx.task.say(message);
}

function pause(delay: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, delay);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
