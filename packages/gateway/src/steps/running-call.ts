import type { Cancellation, Context, RequestCall } from "@toolwire/server";
import { type CallRecord, type Outcome, TIMED_STEPS, type TimedStep } from "../log/call-record.ts";
import type { Call } from "../routes/call.ts";
import { createCallId } from "../log/call-id.ts";
import type { CallLimits, Policy, PolicyTool } from "./policy.ts";

/** One `tools/call` on its way through the steps: what the record will say, and when the current step began. */
export class RunningCall implements Call {
  at: number = Date.now();
  id: string = createCallId(this.at);
  start: number = performance.now();
  policy: Policy;
  readonly context: Context;
  readonly cancellation: Cancellation;
  readonly server: string;
  readonly principal: string | undefined;
  tool: string;
  /** `undefined` if the server has no such tool, or none for this caller. */
  found: PolicyTool | undefined;
  /** The kind of the tool that the caller has named, also if the call is refused; `none` if the server has no such tool. */
  source: CallRecord["source"] = "none";
  args: unknown;
  readonly steps: { [Step in TimedStep]?: number } = {};
  httpStatus: number | undefined;
  attempts = 0;
  firstByteMs: number | undefined;
  responseBytes = 0;
  isTruncated = false;
  failure: string | undefined;
  secrets: readonly string[] | undefined;
  forwarded: readonly string[] | undefined;
  /** Set by the step that knows; else the result tells. */
  outcome: Outcome | undefined;
  /** The limits in which the call has a place until it is over. */
  readonly places: CallLimits[] = [];
  #stepStart: number = this.start;

  constructor(policy: Policy, request: RequestCall) {
    const { context } = request;
    this.policy = policy;
    this.context = context;
    this.cancellation = request;
    this.server = policy.slug;
    this.principal = context.principal?.id;
    const { name, arguments: args } = (request.params ?? {}) as { name?: unknown; arguments?: unknown };
    this.tool = typeof name === "string" ? name : "";
    this.args = args;
  }

  get signal(): AbortSignal {
    return this.context.signal;
  }

  /** Whether the arguments were valid, so that the tool was run. */
  get hasRun(): boolean {
    return this.steps.validate !== undefined;
  }

  /** Takes over what earlier runs of the same call have come to: a task runs again for each answer. */
  goOnFrom({ id, at, start, attempts, steps }: RunningCall): void {
    this.id = id;
    this.at = at;
    this.start = start;
    this.attempts += attempts;
    for (const step of TIMED_STEPS) {
      const time = steps[step];
      if (time !== undefined) this.steps[step] = (this.steps[step] ?? 0) + time;
    }
  }

  /** Ends a step: the next one begins now. */
  endStep(step: TimedStep): void {
    const now = performance.now();
    // A tool that asks its client something runs again in the same call.
    this.steps[step] = (this.steps[step] ?? 0) + (now - this.#stepStart);
    this.#stepStart = now;
  }

  /** Ends the step that has failed: the first one that has no time yet. */
  endCurrentStep(): void {
    const step = TIMED_STEPS.find((each) => this.steps[each] === undefined);
    if (step !== undefined) this.endStep(step);
  }
}

/**
 * The member of a context that holds its call: tools get a context, and nothing else of the request. A `WeakMap` would keep
 * every call until the next full collection, which took longer than all seven steps (11 of 13 µs a call).
 */
const CALL: unique symbol = Symbol("call");

interface CarryingContext {
  [CALL]?: RunningCall;
}

/** Remembers a call for {@link callOf}. */
export function keepCall(call: RunningCall): void {
  (call.context as CarryingContext)[CALL] = call;
}

/** Finds the call that a tool runs for. */
export function callOf(ctx: Context): RunningCall {
  const call = (ctx as CarryingContext)[CALL];
  // The pipeline is the outermost middleware of each server, so that no tool runs without it.
  if (call === undefined) throw new TypeError("A tool of the gateway was called outside of its pipeline.");
  return call;
}
