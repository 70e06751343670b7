import type { Dispatcher, Pool } from "undici";
import type { Connector } from "./guarded-connector.ts";
import type { CheckedCallerOptions } from "./options.ts";
import { WaitingLine } from "./waiting-line.ts";

/** A request that a pool sends. */
export interface PooledRequest extends Dispatcher.DispatchHandler {
  readonly dispatchOptions: Dispatcher.DispatchOptions;
  /** Whether nobody waits for it any more. */
  readonly isOver: boolean;
  /** There is no way to send it. */
  failed(error: Error): void;
}

/** The class of undici's pools, once it is loaded. Modules are loaded once, so all callers share it. */
let LoadedPool: typeof Pool | undefined;

/** The connections to one origin, and the calls that wait for one. */
export class OriginPool {
  readonly #origin: string;
  readonly #options: Pool.Options;
  readonly #line: WaitingLine<PooledRequest>;
  #pool: Pool | undefined;
  /** How many connections have delivered a whole response, but cannot be used again before the next turn. */
  #freeing = 0;
  /** Requests that wait for one of those connections. */
  readonly #waitingForTurn: PooledRequest[] = [];
  readonly #freed = (): void => {
    this.#freeing -= 1;
    const next = this.#waitingForTurn.shift();
    if (next !== undefined) this.#dispatch(next);
  };

  constructor(origin: string, connect: Connector, { maxConnections, maxWaiting }: CheckedCallerOptions) {
    this.#origin = origin;
    this.#line = new WaitingLine(maxConnections, maxWaiting);
    this.#options = {
      connections: maxConnections,
      pipelining: 1,
      // Calls have deadlines of their own, which count everything.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: connect as NonNullable<Pool.Options["connect"]>,
    };
  }

  /** Sends a request as soon as there is a connection. Returns false if too many wait. */
  send(request: PooledRequest): boolean {
    const place = this.#line.enter(request);
    if (place === "begin") this.#start(request);
    return place !== "full";
  }

  /** A request that was sent is over: its connection is for the next one. */
  released(): void {
    for (let next = this.#line.leave(); next !== undefined; next = this.#line.leave()) {
      if (!next.isOver) return this.#start(next);
    }
  }

  /** A request is not wanted any more. Returns whether it still waited, so that nothing of it was sent. */
  giveUp(request: PooledRequest): boolean {
    return this.#line.giveUp(request);
  }

  /**
   * A response is complete. undici can use its connection again only after another turn of the event loop, so the next
   * request, which often follows at once, would open a new connection. It waits for that turn instead. The microtask makes
   * this timer come after that of undici.
   */
  responseEnded(): void {
    this.#freeing += 1;
    queueMicrotask(() => setImmediate(this.#freed));
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }

  #start(request: PooledRequest): void {
    if (LoadedPool === undefined) {
      import("undici").then(
        (undici) => {
          LoadedPool = undici.Pool;
          this.#dispatch(request);
        },
        (error: unknown) => request.failed(error as Error),
      );
    } else if (this.#freeing > this.#waitingForTurn.length) this.#waitingForTurn.push(request);
    else this.#dispatch(request);
  }

  #dispatch(request: PooledRequest): void {
    if (request.isOver) {
      this.released();
      return;
    }
    try {
      this.#pool ??= new LoadedPool!(this.#origin, this.#options);
      this.#pool.dispatch(request.dispatchOptions, request);
    } catch (error) {
      request.failed(error as Error);
    }
  }
}
