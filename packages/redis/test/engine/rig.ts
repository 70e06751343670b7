import { FaultProxy, type RedisServer, startRedis } from "@toolwire/engines";
import type { Cluster } from "@toolwire/server/cluster";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { redisCluster } from "../../src/index.ts";
import { CLIENTS, type MakeClient, type OpenClient } from "./clients.ts";
import { PROGRAMS } from "./programs.ts";

/** Short times, so that tests of outages do not take long. */
export const QUICK = { timeout: 500, pollInterval: 100, maxChanges: 1000 } as const;

/** An engine, a proxy in front of it, and nodes on both sides of the proxy. */
export class Rig {
  server!: RedisServer;
  proxy!: FaultProxy;
  readonly #nodes: { readonly node: Cluster; readonly open: OpenClient }[] = [];

  /** Adds a node that reaches the engine through the proxy. */
  join(make: MakeClient): Promise<Cluster> {
    return this.#join(make(this.proxy.port));
  }

  /** Adds a node that nothing happens to. */
  witness(): Promise<Cluster> {
    return this.#join(CLIENTS["node-redis"]!(this.server.port));
  }

  /** Closes all nodes, and ends all faults. */
  async end(): Promise<void> {
    this.server.continue();
    this.proxy.close();
    await Promise.all(
      this.#nodes.splice(0).map(async ({ node, open }) => {
        await node.close();
        open.destroy();
      }),
    );
  }

  async #join(open: OpenClient): Promise<Cluster> {
    const node = await redisCluster(open.client, QUICK);
    this.#nodes.push({ node, open });
    return node;
  }
}

/** Starts an engine for the tests of a file, and a proxy for each test. */
export function useRig(): Rig {
  const rig = new Rig();
  beforeAll(async () => {
    const [first] = PROGRAMS;
    if (first === undefined) throw new Error("Install a Redis or a Valkey: `npm run install:engines`.");
    rig.server = await startRedis(first.program);
  });
  beforeEach(async () => {
    rig.proxy = new FaultProxy(() => rig.server.port);
    await rig.proxy.listen();
  });
  afterEach(() => rig.end());
  afterAll(() => rig.server.close());
  return rig;
}

/** What a node has heard of changes. */
export interface Heard {
  readonly changes: string[];
  missed: number;
  readonly states: boolean[];
}

export function hearChanges({ bus }: Cluster): Heard {
  const heard: Heard = { changes: [], missed: 0, states: [] };
  bus.listen({
    message: () => undefined,
    changes: ({ changes }) => void heard.changes.push(...changes),
    missed: () => void (heard.missed += 1),
    stateChanged: (isUp) => void heard.states.push(isUp),
  });
  return heard;
}
