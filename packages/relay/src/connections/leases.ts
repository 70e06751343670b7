import { RpcError, type Client } from "@toolwire/client";
import { ToolError, type ClientCapabilities, type Context } from "@toolwire/server";
import { keyOf } from "../questions/askable.ts";
import { CallQuestions } from "../questions/call-questions.ts";
import type { Clear } from "../text/clear.ts";

/** How long a connection that no call uses is kept for the next, in milliseconds. */
const IDLE_MS = 60_000;

/** How leased connections are opened, and how many there may be. */
export interface LeaseOptions {
  readonly upstream: string;
  /** Opens a connection that declares these capabilities, and asks whoever `current` returns, unless the signal is aborted first. */
  open(
    capabilities: ClientCapabilities,
    current: () => CallQuestions | undefined,
    signal: AbortSignal,
  ): Promise<Client>;
  readonly max: number;
  /** Clears the questions. */
  readonly clear: Clear;
  /** Milliseconds that a call waits for a free connection. */
  readonly timeout: number;
}

interface Lease {
  readonly key: string;
  /** Aborted when it is of no use any more. */
  readonly over: AbortController;
  client: Promise<Client> | undefined;
  questions: CallQuestions | undefined;
  idleTimer?: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Connections that serve one call at a time. A legacy server that asks something does not say, or does not reliably say, for which
 * request. So a call whose caller can be asked has a connection of its own while it is in flight: its questions can only be for that
 * caller. Connections are used again by later calls of the same principal with the same capabilities.
 */
export class Leases {
  readonly #options: LeaseOptions;
  readonly #open = new Set<Lease>();
  readonly #idle: Lease[] = [];
  readonly #waiting: (() => void)[] = [];
  #closed = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** How many connections there are. */
  get size(): number {
    return this.#open.size;
  }

  /** Runs a call over a connection of its own. `known` is what its caller has sent, to which answers to questions are added. */
  async use<T>(
    principal: string | undefined,
    capabilities: ClientCapabilities,
    ctx: Context,
    work: (client: Client) => Promise<T>,
    known: unknown[] = [],
  ): Promise<T> {
    const key = JSON.stringify([principal ?? null, keyOf(capabilities)]);
    const lease = await this.#take(key, ctx);
    let isOpen = false;
    let isClean = false;
    try {
      lease.questions = new CallQuestions(ctx, this.#options.clear, known);
      lease.client ??= this.#options.open(capabilities, () => lease.questions, lease.over.signal);
      const client = await lease.client;
      lease.over.signal.throwIfAborted();
      isOpen = true;
      const result = await work(client);
      isClean = true;
      return result;
    } catch (error) {
      // The server has answered. After anything else it may still be at work, and ask the next caller. One that has refused the
      // handshake has no connection that could be used again.
      isClean = isOpen && error instanceof RpcError;
      throw error;
    } finally {
      lease.questions = undefined;
      if (isClean && !lease.over.signal.aborted) this.#giveBack(lease);
      else void this.#end(lease);
    }
  }

  /** Closes all connections, and ends their processes. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.reset();
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Closes all connections. Later calls open new ones. */
  async reset(): Promise<void> {
    await Promise.all([...this.#open].map((lease) => this.#end(lease)));
  }

  async #take(key: string, ctx: Context): Promise<Lease> {
    const { upstream, timeout } = this.#options;
    const latest = performance.now() + timeout;
    for (;;) {
      ctx.signal.throwIfAborted();
      if (this.#closed) throw new ToolError(`The server ${upstream} behind this tool was closed.`);
      const found = this.#idle.findLastIndex((lease) => lease.key === key);
      if (found !== -1) return this.#begin(this.#idle.splice(found, 1)[0] as Lease);
      if (this.#open.size < this.#options.max) return this.#begin(newLease(key));
      // One of another principal that nobody uses makes room.
      const oldest = this.#idle.shift();
      if (oldest !== undefined) {
        await this.#end(oldest);
        continue;
      }
      const left = latest - performance.now();
      if (left <= 0) {
        throw new ToolError(`The server ${upstream} behind this tool is busy with other calls. Try again later.`);
      }
      await this.#wait(left, ctx.signal);
    }
  }

  #begin(lease: Lease): Lease {
    clearTimeout(lease.idleTimer);
    this.#open.add(lease);
    return lease;
  }

  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        const place = this.#waiting.indexOf(done);
        if (place !== -1) this.#waiting.splice(place, 1);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done, { once: true });
      this.#waiting.push(done);
    });
  }

  #giveBack(lease: Lease): void {
    this.#idle.push(lease);
    lease.idleTimer = setTimeout(() => void this.#end(lease), IDLE_MS);
    lease.idleTimer.unref();
    this.#waiting[0]?.();
  }

  async #end(lease: Lease): Promise<void> {
    clearTimeout(lease.idleTimer);
    const place = this.#idle.indexOf(lease);
    if (place !== -1) this.#idle.splice(place, 1);
    lease.over.abort(new ToolError(`The server ${this.#options.upstream} behind this tool was stopped.`));
    // If it was not opened, there is nothing to close.
    await lease.client?.then((client) => client.close()).catch(() => undefined);
    this.#open.delete(lease);
    this.#waiting[0]?.();
  }
}

function newLease(key: string): Lease {
  return { key, over: new AbortController(), client: undefined, questions: undefined };
}
