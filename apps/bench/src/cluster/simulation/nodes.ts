/** The nodes of a simulation, all in this process, and a balancer that chooses one for each request. */
import { createServer, resource, type Server, tool } from "@toolwire/server";
import { createMemoryEngine } from "@toolwire/server/cluster";
import { createHttpHandler, type HttpHandler } from "@toolwire/server/http";
import { z } from "zod";
import { ITEM_URI } from "../wiring.ts";
import { type Counts, countOperations } from "./counting.ts";
import { settle } from "./virtual-time.ts";

const URL = "http://localhost/mcp";
const MANY = 1_000_000;

/** A call that waits to be finished. */
interface SlowCall {
  readonly id: number;
  readonly finish: () => void;
}

/** Some nodes that meet in an engine in memory. */
export class SimulatedNodes {
  /** What the nodes ask of their engine. */
  readonly counts: Counts = new Map();
  /** How often listening clients were told that the resource has changed. */
  news = 0;
  readonly #handlers: HttpHandler[] = [];
  readonly #servers: Server[] = [];
  readonly #choose: (count: number) => number;
  readonly #slow = new Map<number, SlowCall>();
  #lastSlow = 0;

  /** `choose` returns a number below the one given. */
  constructor(count: number, choose: (count: number) => number) {
    this.#choose = choose;
    const engine = createMemoryEngine({ maxSessions: MANY });
    for (let node = 0; node < count; node += 1) {
      const server = this.#createServer();
      const cluster = countOperations(engine.connect(), this.counts);
      this.#servers.push(server);
      this.#handlers.push(
        createHttpHandler(server, {
          cluster,
          // Comments that keep connections open would be most of what is simulated.
          keepAliveInterval: Infinity,
          legacy: { sessions: { max: MANY, maxPerClient: MANY } },
        }),
      );
    }
  }

  #createServer(): Server {
    return createServer({
      name: "simulated",
      version: "1.0.0",
      tools: {
        plain: tool({ run: () => "plain" }),
        ask: tool({
          async run(_given, ctx) {
            const { word } = await ctx.elicit("word", { message: "?", schema: z.object({ word: z.string() }) });
            return word;
          },
        }),
        slow: tool({
          run: async (_given, ctx): Promise<string> => {
            await ctx.notify({ method: "notifications/message", params: { level: "info", data: "begun" } });
            await this.#untilFinished(ctx.signal);
            return "slow";
          },
        }),
      },
      resources: { item: resource({ uri: ITEM_URI, read: () => "" }) },
    });
  }

  #untilFinished(signal: AbortSignal): Promise<void> {
    return new Promise((finish) => {
      this.#lastSlow += 1;
      const id = this.#lastSlow;
      this.#slow.set(id, { id, finish });
      signal.addEventListener("abort", () => this.finish(id));
    });
  }

  /** Sends a request to any node. */
  send(init: RequestInit): Promise<Response> {
    const handler = this.#handlers[this.#choose(this.#handlers.length)];
    if (handler === undefined) throw new Error("There is no node.");
    return handler.fetch(new Request(URL, init));
  }

  /** Announces a change at any node. */
  change(): void {
    this.#servers[this.#choose(this.#servers.length)]?.resources.updated(ITEM_URI);
  }

  /** The call that has begun last. */
  slowest(): SlowCall {
    const last = this.#slow.get(this.#lastSlow);
    if (last === undefined) throw new Error("No call is waiting.");
    return last;
  }

  finish(id: number): void {
    this.#slow.get(id)?.finish();
    this.#slow.delete(id);
  }

  settle(): Promise<void> {
    return settle();
  }

  async close(): Promise<void> {
    await Promise.all(this.#handlers.map((handler) => handler.close()));
  }
}
