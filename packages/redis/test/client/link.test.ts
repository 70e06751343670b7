import { Redis } from "ioredis";
import { createClient, createClientPool } from "redis";
import { expect, test } from "vitest";
import { type RedisClient, redisCluster } from "../../src/index.ts";

const passAnything = (client: unknown, options?: object) => redisCluster(client as RedisClient, options);

test("whatever is no client is refused with what to pass instead, and not shown", async () => {
  const url = "redis://user:secret@127.0.0.1:6379";
  for (const given of [url, undefined, null, {}, { url }, createClientPool({ url }), () => url]) {
    const refused = passAnything(given);
    await expect(refused).rejects.toMatchObject({ name: "UsageError", code: "INVALID_ARGUMENT" });
    await expect(refused).rejects.toThrow(/createClient\(\{ url \}\)/);
    await expect(refused).rejects.not.toThrow(/secret/);
  }
});

test("a client that renames keys is refused", async () => {
  const client = new Redis({ lazyConnect: true, keyPrefix: "app:" });
  await expect(redisCluster(client)).rejects.toThrow("keyPrefix");
  client.disconnect();
});

test("options are checked before anything is connected", async () => {
  const client = createClient();
  for (const [options, problem] of [
    [{ prefix: "a{b}" }, "`prefix` must be 1 to 64 characters"],
    [{ prefix: "" }, "`prefix`"],
    [{ timeout: 0 }, "`timeout`"],
    [{ maxChanges: Number.NaN }, "`maxChanges`"],
    [{ prefx: "a" }, "prefix"],
  ] as const) {
    await expect(passAnything(client, options)).rejects.toThrow(problem);
  }
  expect(client.isOpen).toBe(false);
});
