import { setTimeout as delay } from "node:timers/promises";
import type { RpcError } from "@toolwire/client";
import { formatId, type Outcome } from "../accounts/history.ts";
import { titleOf } from "../cells.ts";
import { Random } from "@toolwire/evidence/load";
import { answerTo, type WorkArguments } from "../servers/task.ts";
import { planCall, QUICK, type CallPlan } from "./call-kinds.ts";
import { InsistenceCheck, type Heartbeat } from "./heartbeat.ts";
import type { LoadClient, PendingCall } from "./load-client.ts";

/** The longest pause between two calls, in milliseconds. */
const MAX_PAUSE_MS = 40;

/** Makes one call after the other with one client, and writes down what it was told. */
export class Lane {
  readonly #client: LoadClient;
  readonly #lane: number;
  readonly #random: Random;
  readonly #heartbeat: Heartbeat;
  #made = 0;

  constructor(client: LoadClient, lane: number, heartbeat: Heartbeat) {
    const { seed, cell, index } = client.place;
    this.#client = client;
    this.#lane = lane;
    this.#random = new Random(seed, "calls", titleOf(cell), index, lane);
    this.#heartbeat = heartbeat;
  }

  /** How many calls it has begun. */
  get made(): number {
    return this.#made;
  }

  /** Makes calls of all kinds, with pauses, until the signal aborts. */
  async mix(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await this.#call(planCall(this.#random, this.#client.place.cell));
      await delay(this.#random.between(0, MAX_PAUSE_MS));
    }
  }

  /** Makes quick calls, each again and again until it is answered, without any pause after a failure. */
  async insist(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const check = new InsistenceCheck(this.#heartbeat);
      while (!over.aborted && !(await this.#call(QUICK))) {
        if (await check.failed()) this.#client.report("timers-fire", `lane ${this.#lane}, call ${this.#made}`);
      }
      await delay(this.#random.between(0, MAX_PAUSE_MS));
    }
  }

  async #call(plan: CallPlan): Promise<boolean> {
    const { place, pending } = this.#client;
    const id = { cell: place.cellIndex, client: place.index, lane: this.#lane, number: this.#made++ };
    const call = formatId(id);
    const state: PendingCall = { sends: 0, questions: 0, reports: 0 };
    pending.set(call, state);
    const begun = performance.now();
    const outcome = await this.#settle(plan, { ...plan.args, call }, state);
    const settled = performance.now();
    const { connections } = this.#client;
    place.ledger.addCall({ id, kind: plan.kind, begun, settled, outcome, connections, ...state });
    const isAnswered = outcome.type === "answered";
    this.#client.settled(call, isAnswered);
    return isAnswered;
  }

  async #settle(plan: CallPlan, args: WorkArguments, state: PendingCall): Promise<Outcome> {
    const { timeout, cancelAfter } = plan;
    const stop = new AbortController();
    const timer = cancelAfter === undefined ? undefined : setTimeout(() => stop.abort(), cancelAfter);
    try {
      const { content, isError } = await this.#client.client.callTool(
        plan.tool,
        { ...args },
        {
          timeout,
          ...(timer !== undefined && { signal: stop.signal }),
          ...(args.reports > 0 && { onProgress: ({ message }) => this.#hearProgress(args.call, state, message) }),
        },
      );
      const [block] = content;
      const text = block?.type === "text" ? block.text : undefined;
      return { type: "answered", isRight: isError !== true && text === answerTo(args, this.#client.place.cell.era) };
    } catch (error) {
      return stop.signal.aborted && error === stop.signal.reason ? { type: "cancelled" } : describeFailure(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Revision 2024-11-05 has no messages in progress reports, so nothing in them names the call. */
  #hearProgress(call: string, state: PendingCall, message: string | undefined): void {
    state.reports += 1;
    if (message !== undefined && message !== call) this.#client.report("right-answer", `${call} heard of ${message}`);
    if (this.#client.pending.get(call) !== state) this.#client.report("silent-once-settled", `progress of ${call}`);
  }
}

/** The part of an error that is remembered. */
function describeFailure(error: unknown): Outcome {
  const { name, code, refusal, message } = Object(error) as {
    readonly [property in "name" | "code" | "message"]?: unknown;
  } & { readonly refusal?: RpcError["refusal"] };
  // The transport names the HTTP status in the detail of a refusal.
  const status = /\d+$/.exec(refusal?.detail ?? "")?.[0];
  return {
    type: "failed",
    error: String(name),
    code: typeof code === "number" ? code : String(code),
    status: status === undefined ? undefined : Number(status),
    message: String(message).slice(0, 200),
  };
}
