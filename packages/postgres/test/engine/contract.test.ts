import { clusterContract, registerContract } from "@toolwire/server/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { PostgresServer } from "@toolwire/engines";
import { joinByPg, joinByPostgresJs, start, type Node } from "./postgres.ts";

let server: PostgresServer;

beforeAll(async () => {
  server = await start();
});

afterAll(() => server.close());

for (const [name, join] of [
  ["pg", joinByPg],
  ["postgres.js", joinByPostgresJs],
] as const) {
  const nodes = new Map<string, Node>();
  const checks = clusterContract({
    async connect() {
      const node = await join(server.url);
      nodes.set(node.node, node);
      return node;
    },
    async disconnect({ node }) {
      await nodes.get(node)?.end();
      nodes.delete(node);
    },
    maxMessageBytes: 5 * 1024 * 1024,
    maxChanges: 10_000,
    async restartEmpty() {
      await server.crash();
      await server.restart();
    },
    timeout: 20_000,
  });
  registerContract(`Postgres by ${name}`, checks, { describe, it });
}
