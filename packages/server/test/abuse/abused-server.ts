/** A server that keeps books of what its callers make it do, served over every binding at once. */
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { type HttpOptions, createNodeHandler } from "../../src/http.ts";
import { createServer, timeLimit, tool, type ServerMiddleware, type Principal, type Server } from "../../src/index.ts";
import { serveWebSocket, type WebSocketOptions } from "../../src/bindings/websocket/index.ts";

/** The handlers that run, by caller, and the most that ran at once. */
class Ledger {
  readonly #running = new Map<string, number>();
  readonly #peaks = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];
  /** The most handlers that ran at once, of all callers. */
  peak = 0;

  /** How many handlers run now, of all callers. */
  get running(): number {
    return [...this.#running.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The most handlers of one caller that ran at once. */
  peakOf(caller: string): number {
    return this.#peaks.get(caller) ?? 0;
  }

  /** How many handlers of one caller run now. */
  runningOf(caller: string): number {
    return this.#running.get(caller) ?? 0;
  }

  /** Runs until {@link release}, whatever happens to the request meanwhile. */
  async hold(caller: string): Promise<void> {
    const count = this.runningOf(caller) + 1;
    this.#running.set(caller, count);
    this.#peaks.set(caller, Math.max(this.peakOf(caller), count));
    this.peak = Math.max(this.peak, this.running);
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running.set(caller, this.runningOf(caller) - 1);
  }

  /** Lets every handler end that runs now. */
  release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Limits that are small enough to be reached by a test. */
export const LIMITS = { perClient: 16, all: 40 };

/** A server under abuse, with its books. */
export interface AbusedServer {
  readonly server: Server;
  readonly ledger: Ledger;
  /** The HTTP endpoint; `/sse` and `/ws` are beside it. */
  readonly url: string;
  readonly http: HttpServer;
}

/** Which tool a caller can keep busy for how long: `hold` and `hold_briefly` ignore `ctx.signal`, as much code does. */
function defineAbused(ledger: Ledger, middleware: readonly ServerMiddleware[] = []): Server {
  const hold = tool({ run: (_args, ctx) => ledger.hold(nameOf(ctx.principal)).then(() => "released") });
  const limit = timeLimit({ timeout: 1 });
  const timeLimitOfSome: ServerMiddleware = (call, next) =>
    call.tool?.name === "hold_briefly" ? limit(call, next) : next();
  return createServer({
    name: "abused",
    version: "1.0.0",
    onDiagnostic() {},
    middleware: [...middleware, timeLimitOfSome],
    tools: {
      hold,
      // The caller is answered after a millisecond; the handler runs on.
      hold_briefly: hold,
      echo: tool({ input: z.object({ text: z.string() }), run: ({ text }) => text }),
      report: tool({
        description:
          "Reports progress, so that the answer is a stream of events, and says as much as is asked for when released",
        input: z.object({ size: z.int() }),
        async run({ size }, ctx) {
          ctx.progress(1, 2);
          await ledger.hold(nameOf(ctx.principal));
          return "x".repeat(size);
        },
      }),
    },
    resources: {},
  });
}

/** The settings of {@link serveAbused} that a test changes. */
export interface AbuseOptions {
  readonly http?: HttpOptions;
  readonly websocket?: Pick<WebSocketOptions, "maxConnections">;
  readonly middleware?: readonly ServerMiddleware[];
}

/** Serves on one port over HTTP, HTTP+SSE and WebSocket. Callers say who they are in the `Authorization` header. */
export async function serveAbused({ http: options, websocket, middleware }: AbuseOptions = {}): Promise<AbusedServer> {
  const ledger = new Ledger();
  const server = defineAbused(ledger, middleware);
  const shared = {
    authenticate: ({ header }: { header: (name: string) => string | undefined }): Principal | undefined => {
      const id = header("authorization");
      return id === undefined ? undefined : { id };
    },
    closeTimeout: 0,
  };
  const handler = createNodeHandler(server, {
    maxInFlight: LIMITS.all,
    maxInFlightPerClient: LIMITS.perClient,
    ...shared,
    ...options,
    legacy: options?.legacy !== false && { sse: true, ...options?.legacy },
  });
  const http = createHttpServer(handler);
  const sockets = await serveWebSocket(server, {
    server: http,
    maxInFlight: LIMITS.all,
    maxInFlightPerClient: LIMITS.perClient,
    ...shared,
    ...websocket,
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => {
    ledger.release();
    http.close();
    await Promise.all([handler.close(), sockets.close()]);
    http.closeAllConnections();
  });
  return { server, ledger, http, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` };
}

/** How many connections a server has. At 0, nothing of former callers is still on its way to it. */
export function countConnections({ http }: AbusedServer): Promise<number> {
  return new Promise((resolve) => http.getConnections((_error, count) => resolve(count)));
}

function nameOf(principal: Principal | undefined): string {
  return principal?.id ?? "nobody";
}
