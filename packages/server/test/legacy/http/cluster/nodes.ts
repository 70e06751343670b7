import { onTestFinished } from "vitest";
import { type Cluster, createMemoryEngine, type MemoryEngine } from "../../../../src/cluster/index.ts";
import { createHttpHandler, type HttpHandler, type HttpOptions } from "../../../../src/http.ts";
import { LegacyClient } from "../../../bindings/http/client.ts";
import { createFixture, type Fixture } from "../../../bindings/http/fixture-server.ts";
import type { Target } from "../../../bindings/http/platforms.ts";

/** One process of several, in this one. */
export interface Node extends Fixture {
  readonly handler: HttpHandler;
  readonly cluster: Cluster;
}

/** Several nodes, and a balancer in front of them that sends each request where the test says. */
export interface Nodes extends Target {
  readonly engine: Pick<MemoryEngine, "connect">;
  readonly nodes: readonly Node[];
  /** Sends the next requests to this node. */
  to(node: number): void;
  /** Adds a node, and returns its number. */
  add(): number;
  /** Ends a node as `kill -9` does: it says nothing to anybody. */
  kill(node: number): Promise<void>;
}

export interface NodesOptions extends HttpOptions {
  readonly engine?: Pick<MemoryEngine, "connect">;
  /** Puts something between a node and the engine. */
  readonly wrap?: (cluster: Cluster) => Cluster;
  readonly fixture?: () => Fixture;
}

/** Starts so many nodes, until the test ends. */
export function startNodes(count: number, options: NodesOptions = {}): Nodes {
  const { engine = createMemoryEngine(), wrap = (cluster) => cluster, fixture = createFixture, ...http } = options;
  const nodes: Node[] = [];
  let target = 0;
  const url = "http://localhost/mcp";
  const started: Nodes = {
    url,
    engine,
    nodes,
    to: (node) => (target = node),
    add() {
      const own = fixture();
      const cluster = engine.connect();
      const handler = createHttpHandler(own.server, { path: "/mcp", ...http, cluster: wrap(cluster) });
      return nodes.push({ ...own, handler, cluster }) - 1;
    },
    kill: (node) => nodeAt(nodes, node).cluster.close(),
    send: ({ path, ...init }) =>
      nodeAt(nodes, target).handler.fetch(new Request(path === undefined ? url : new URL(path, url), init)),
    close: async () => {
      for (const { release } of nodes) release();
      await Promise.all(nodes.map(({ handler }) => handler.close()));
    },
  };
  for (let node = 0; node < count; node += 1) started.add();
  onTestFinished(() => started.close());
  return started;
}

export function nodeAt(nodes: readonly Node[], index: number): Node {
  const node = nodes[index];
  if (node === undefined) throw new Error(`There is no node ${index}.`);
  return node;
}

/** Opens a session at a node. */
export async function openAt(nodes: Nodes, node: number, revision?: string): Promise<LegacyClient> {
  nodes.to(node);
  return LegacyClient.open(nodes, revision);
}
