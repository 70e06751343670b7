import { Random } from "@toolwire/evidence/load";
import { setTimeout as delay } from "node:timers/promises";
import type { CallRecord, Era, Outcome } from "../accounts/history.ts";
import type { Caller, ClientKind } from "../clients/caller.ts";
import { planCall, type CallPlan } from "./plan-call.ts";

/** How many clients there are of each kind. */
const CLIENTS = 4;

/** How much longer than its own time a call may take until it counts as lost. */
const LOST_MS = 20_000;

/** The longest pause after a call that has failed: a client that came back at once would only fail again. */
const FAILED_PAUSE_MS = 300;

/** What the load is to do. */
export interface LoadOptions {
  readonly url: string;
  readonly seed: number;
  /** The longest pause between two calls. */
  readonly pause: number;
}

/** A part of the load. */
export interface Stretch {
  /** How many calls of each era there are at least. */
  readonly calls: number;
  /** Whether nothing is done to servers meanwhile that would excuse a failure. */
  readonly isCalm: boolean;
  /** Calls are made until this resolves, and the number is reached. */
  readonly until: Promise<unknown>;
}

/** A client that is connected. */
interface Connected {
  readonly kind: ClientKind;
  readonly caller: Caller;
  readonly random: Random;
}

/** All clients, and what their calls were told. */
export class Load {
  readonly records: CallRecord[] = [];
  readonly secondAnswers: string[] = [];
  readonly #kinds: readonly ClientKind[];
  readonly #options: LoadOptions;
  #connected: readonly Connected[] = [];
  readonly #settled: Record<Era, number> = { legacy: 0, modern: 0 };
  #made = 0;

  constructor(kinds: readonly ClientKind[], options: LoadOptions) {
    this.#kinds = kinds;
    this.#options = options;
  }

  async connect(): Promise<void> {
    const { url, seed } = this.#options;
    const all = this.#kinds.flatMap((kind) => Array.from({ length: CLIENTS }, (_, index) => ({ kind, index })));
    this.#connected = await Promise.all(
      all.map(async ({ kind, index }) => ({
        kind,
        caller: await kind.connect(url, { answeredTwice: (what) => this.secondAnswers.push(what) }),
        random: new Random(seed, kind.title, kind.era, index),
      })),
    );
  }

  /** Makes calls with all clients. Resolves when all have settled. */
  async run({ calls, isCalm, until }: Stretch): Promise<void> {
    let isOver = false;
    void until.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    // Whichever client is free makes the next call: those that wait long for answers that cannot come make fewer.
    const counts: Record<Era, number> = { legacy: 0, modern: 0 };
    const takes = ({ era }: ClientKind): boolean => {
      if (counts[era] >= calls && isOver) return false;
      counts[era] += 1;
      return true;
    };
    await Promise.all(
      this.#connected.flatMap((client) =>
        Array.from({ length: client.kind.atATime }, async () => {
          while (takes(client.kind)) await this.#makeOne(client, isCalm);
        }),
      ),
    );
  }

  /** How many calls have settled in the era in which fewer have. */
  get settled(): number {
    return Math.min(this.#settled.legacy, this.#settled.modern);
  }

  async close(): Promise<void> {
    await Promise.all(this.#connected.map(({ caller }) => caller.close().catch(() => undefined)));
  }

  async #makeOne(client: Connected, isCalm: boolean): Promise<void> {
    const { kind, random } = client;
    const plan = planCall(random);
    this.#made += 1;
    const call = `c${this.#made}`;
    const reported: number[] = [];
    const begun = performance.now();
    const outcome = await settle(client, plan, call, reported);
    this.records.push({
      call,
      client: kind.title,
      era: kind.era,
      tool: plan.tool,
      isCalm,
      outcome,
      reports: plan.args.reports,
      reported,
      begun,
      settled: performance.now(),
    });
    this.#settled[kind.era] += 1;
    await delay(random.between(0, outcome.type === "failed" ? FAILED_PAUSE_MS : this.#options.pause));
  }
}

async function settle({ kind, caller }: Connected, plan: CallPlan, call: string, reported: number[]): Promise<Outcome> {
  const { tool, cancelAfter, args } = plan;
  const cancel = new AbortController();
  let cancelling: NodeJS.Timeout | undefined;
  const settled = caller.call({
    tool,
    args: { ...args, call },
    timeout: kind.timeout,
    signal: cancelAfter === undefined ? undefined : cancel.signal,
    onReport(report) {
      reported.push(report);
      if (cancelAfter !== undefined) cancelling ??= setTimeout(() => cancel.abort(), cancelAfter);
    },
  });
  const waiting = new AbortController();
  const lost = delay(kind.timeout + LOST_MS, { type: "lost" } as const, { signal: waiting.signal });
  lost.catch(() => undefined);
  try {
    return await Promise.race([settled, lost]);
  } finally {
    clearTimeout(cancelling);
    waiting.abort();
  }
}
