import type { PostgresServer } from "@toolwire/engines";
import type { TaskStore } from "@toolwire/server/tasks";
import { registerContract, taskStoreContract } from "@toolwire/server/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { start } from "../postgres.ts";
import { type OpenStore, OPENERS } from "./stores.ts";

let server: PostgresServer;

beforeAll(async () => {
  server = await start();
});

afterAll(() => server.close());

for (const [library, open] of Object.entries(OPENERS)) {
  const opened = new Map<TaskStore, OpenStore>();
  const checks = taskStoreContract({
    async open() {
      const store = await open(server.url);
      opened.set(store, store);
      return store;
    },
    async close(store) {
      await opened.get(store)?.end();
      opened.delete(store);
    },
    timeout: 20_000,
  });
  registerContract(`tasks in Postgres by ${library}`, checks, { describe, it });
}
