import { readFileSync } from "node:fs";
import { createClient } from "redis";
import { Redis } from "ioredis";
import IoValkey from "iovalkey";
import { clusterContract, registerContract } from "@toolwire/server/testing";
import { beforeAll, describe, expect, it, test } from "vitest";
import { redisCluster } from "../../src/index.ts";
import { useRig } from "./rig.ts";

const rig = useRig();
const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const [command = ""] = /^ACL SETUSER [^`]+/m.exec(readme) ?? [];

beforeAll(async () => {
  const admin = createClient({ url: rig.server.url });
  await admin.connect();
  await admin.sendCommand(command.trim().split(/\s+/));
  admin.destroy();
});

const open = {
  "node-redis": () => {
    const client = createClient({ url: rig.server.url.replace("//", "//toolwire:password@") });
    return { client, end: () => client.destroy() };
  },
  ioredis: () => {
    const client = new Redis(rig.server.port, { username: "toolwire", password: "password" });
    return { client, end: () => client.disconnect() };
  },
  iovalkey: () => {
    const client = new IoValkey.Redis(rig.server.port, { username: "toolwire", password: "password" });
    return { client, end: () => client.disconnect() };
  },
};

for (const [library, make] of Object.entries(open)) {
  const ends = new Map<string, () => void>();
  registerContract(
    `${library} with the permissions of the README`,
    clusterContract({
      async connect() {
        const { client, end } = make();
        const cluster = await redisCluster(client);
        ends.set(cluster.node, end);
        return cluster;
      },
      disconnect: ({ node }) => ends.get(node)?.(),
      timeout: 20_000,
    }),
    { describe, it },
  );
}

test("a user without permission for the prefix is told which permission is lacking", async () => {
  const { client, end } = open["node-redis"]();
  await expect(redisCluster(client, { prefix: "other" })).rejects.toThrow(/NOPERM.*README/);
  end();
});
