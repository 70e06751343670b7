/** Rate limits of servers on several nodes: a caller has one limit, whichever node serves it. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Cluster, ClusterError, createMemoryEngine, type RateLimitStore } from "../../src/cluster/index.ts";
import {
  createServer,
  rateLimit,
  type RateLimitOptions,
  type Server,
  type ServerDiagnostic,
  tool,
} from "../../src/index.ts";
import { ModernClient } from "../wire-client.ts";

const run = (): string => "done";

function define(options: RateLimitOptions, name = "counted"): Server {
  return createServer({
    name,
    version: "1",
    middleware: [rateLimit({ now: () => 0, ...options })],
    tools: { one: tool({ run }), two: tool({ run }) },
  });
}

function connect(server: Server, cluster: Cluster, id?: string): ModernClient {
  return new ModernClient(server, { cluster, ...(id !== undefined && { principal: { id } }) });
}

/** How each of several calls ends. */
async function call(client: ModernClient, names: readonly string[]): Promise<string[]> {
  const texts: string[] = [];
  for (const name of names) {
    const outcome = await client.request("tools/call", { name, arguments: {} }).catch((error: Error) => error);
    texts.push(outcome instanceof Error ? outcome.message : outcome.content[0].text);
  }
  return texts;
}

const TIMED = { now: () => 0 };
const BUSY = "Too many requests: try again in 30 seconds.";

/** A cluster that counts in another way. */
function counting(limits: RateLimitStore): Cluster {
  return { ...createMemoryEngine().connect(), limits };
}

describe("rateLimit in a cluster", () => {
  test("counts a principal over all nodes, and each on its own", async () => {
    const engine = createMemoryEngine(TIMED);
    const here = connect(define({ limit: 2 }), engine.connect(), "ada");
    const there = connect(define({ limit: 2 }), engine.connect(), "ada");
    const bob = connect(define({ limit: 2 }), engine.connect(), "bob");
    expect(await call(here, ["one"])).toEqual(["done"]);
    expect(await call(there, ["two"])).toEqual(["done"]);
    expect(await call(here, ["one"])).toEqual([BUSY]);
    expect(await call(there, ["one"])).toEqual([BUSY]);
    expect(await call(bob, ["one"])).toEqual(["done"]);
  });

  test("counts tools and servers apart, if it is told to", async () => {
    const engine = createMemoryEngine(TIMED);
    const here = connect(define({ limit: 1, window: 30_000, perTool: true }), engine.connect(), "ada");
    const there = connect(define({ limit: 1, window: 30_000, perTool: true }), engine.connect(), "ada");
    const other = connect(define({ limit: 1, window: 30_000, perTool: true }, "another"), engine.connect(), "ada");
    expect(await call(here, ["one", "one"])).toEqual(["done", BUSY]);
    expect(await call(there, ["one", "two"])).toEqual([BUSY, "done"]);
    expect(await call(other, ["one"])).toEqual(["done"]);
  });

  test("counts connections without a principal on their own node", async () => {
    const cluster = createMemoryEngine(TIMED).connect();
    const take = vi.spyOn(cluster.limits, "take");
    const client = connect(define({ limit: 2 }), cluster);
    expect(await call(client, ["one", "one", "one"])).toEqual(["done", "done", BUSY]);
    expect(take).not.toHaveBeenCalled();
  });

  test("tells the engine neither who calls nor what", async () => {
    const keys: string[] = [];
    const cluster = counting({
      take: async (key) => {
        keys.push(key);
        return 0;
      },
    });
    await call(connect(define({ limit: 2, caller: () => "secret-key" }), cluster), ["one"]);
    expect(keys).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  });

  test.each<{ onStoreDown?: RateLimitOptions["onStoreDown"]; texts: string[] }>([
    { texts: ["done", "done", BUSY] },
    { onStoreDown: "local", texts: ["done", "done", BUSY] },
    { onStoreDown: "allow", texts: ["done", "done", "done"] },
    {
      onStoreDown: "refuse",
      texts: Array.from({ length: 3 }, () => "This cannot be served at the moment. Nothing was done; try again."),
    },
  ])("does what `onStoreDown: $onStoreDown` says while the engine is down", async ({ onStoreDown, texts }) => {
    const down: RateLimitStore = {
      take: () => Promise.reject(new ClusterError("UNAVAILABLE", "The engine cannot be reached.")),
    };
    const client = connect(define({ limit: 2, onStoreDown }), counting(down), "ada");
    expect(await call(client, ["one", "one", "one"])).toEqual(texts);
  });

  test("waits for a silent engine for a moment only, and does not ask it with every request", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    let asked = 0;
    const silent: RateLimitStore = {
      take: () => {
        asked += 1;
        return new Promise(() => undefined);
      },
    };
    const client = connect(define({ limit: 2 }), counting(silent), "ada");
    expect(await call(client, ["one", "one", "one"])).toEqual(["done", "done", BUSY]);
    expect(asked).toBe(1);
  });

  test("takes an answer that is no number for a failure", async () => {
    const broken: RateLimitStore = { take: async () => "0" as unknown as number };
    const client = connect(define({ limit: 2 }), counting(broken), "ada");
    expect(await call(client, ["one", "one", "one"])).toEqual(["done", "done", BUSY]);
  });

  test("does not count two limits together without saying so", async () => {
    const seen: ServerDiagnostic[] = [];
    const limited = (name?: string) => tool({ run, middleware: [rateLimit({ limit: 1, name, ...TIMED })] });
    const defineTwice = (second?: string): Server =>
      createServer({
        name: "twice",
        version: "1",
        tools: { one: limited(), two: limited(second) },
        onDiagnostic: (event) => void seen.push(event),
      });
    const cluster = (): Cluster => createMemoryEngine(TIMED).connect();
    await call(connect(defineTwice(), cluster(), "ada"), ["one", "two"]);
    expect(seen.map(({ error }) => (error as Error).message)).toEqual([
      expect.stringContaining('give each a `name`, as in rateLimit({ limit: 10, name: "search" })'),
    ]);
    expect(await call(connect(defineTwice("second"), cluster(), "ada"), ["one", "two"])).toEqual(["done", "done"]);
  });

  test("counts on its own node again when no binding has the cluster any more", async () => {
    const server = define({ limit: 1 });
    const cluster = createMemoryEngine(TIMED).connect();
    const take = vi.spyOn(cluster.limits, "take");
    const first = connect(server, cluster, "ada");
    expect(await call(first, ["one"])).toEqual(["done"]);
    await first.disconnect();
    expect(await call(new ModernClient(server, { principal: { id: "ada" } }), ["one"])).toEqual(["done"]);
    expect(take).toHaveBeenCalledTimes(1);
  });
});
