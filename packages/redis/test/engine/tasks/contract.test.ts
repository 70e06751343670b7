import { readFileSync } from "node:fs";
import { type RedisNodes, type RedisServer, startRedis, startRedisCluster } from "@toolwire/engines";
import type { TaskStore } from "@toolwire/server/tasks";
import { registerContract, taskStoreContract } from "@toolwire/server/testing";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, it } from "vitest";
import { redisTaskStore, type RedisTaskStore } from "../../../src/tasks/index.ts";
import { CLIENTS, CLUSTER_CLIENTS, type OpenClient } from "../clients.ts";
import { PROGRAMS } from "../programs.ts";

const opened = new Map<TaskStore, { readonly store: RedisTaskStore; readonly open: OpenClient }>();

async function connect(open: OpenClient): Promise<TaskStore> {
  const store = await redisTaskStore(open.client);
  opened.set(store, { store, open });
  return store;
}

async function close(given: TaskStore): Promise<void> {
  const { store, open } = opened.get(given) ?? {};
  opened.delete(given);
  await store?.close();
  open?.destroy();
}

function hold(name: string, make: () => OpenClient): void {
  const checks = taskStoreContract({ open: () => connect(make()), close, timeout: 20_000 });
  registerContract(name, checks, { describe, it });
}

/** A user with the permissions of the README. */
async function addUser({ url }: RedisServer): Promise<void> {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const [command = ""] = /^ACL SETUSER [^`]+/m.exec(readme) ?? [];
  const admin = createClient({ url });
  await admin.connect();
  await admin.sendCommand(command.trim().split(/\s+/));
  admin.destroy();
}

for (const { name, program } of PROGRAMS) {
  describe(`${name} alone`, () => {
    let server: RedisServer;
    beforeAll(async () => {
      server = await startRedis(program);
      await addUser(server);
    });
    afterAll(() => server.close());
    for (const [library, make] of Object.entries(CLIENTS)) hold(`${library}, one server`, () => make(server.port));
    hold("a user with the permissions of the README", () => {
      const client = createClient({ url: server.url.replace("//", "//toolwire:password@") });
      return { client, destroy: () => client.destroy() };
    });
  });

  describe(`${name} in cluster mode`, () => {
    let nodes: RedisNodes;
    beforeAll(async () => {
      nodes = await startRedisCluster(program);
    });
    afterAll(() => nodes.close());
    for (const [library, make] of Object.entries(CLUSTER_CLIENTS)) hold(`${library}, three servers`, () => make(nodes));
  });
}
