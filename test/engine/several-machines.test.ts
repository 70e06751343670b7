import { findPostgres, findRedis, startPostgres, startRedis } from "@toolwire/engines";
import { afterEach, describe, expect, test } from "vitest";
import { Guide } from "../guides/guide.ts";

/** What ends with a test, the latest first. */
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
}, 60_000);

/** Follows the guide with an engine, whose URL is in a variable of the environment. Returns what its last program prints. */
async function follow(engine: string, variable: string, url: string): Promise<string | undefined> {
  const guide = await Guide.open("guides/run-on-several-machines.md", [3001, 3002], { [variable]: url });
  open.push(guide);
  for (const file of ["server.ts", "main.ts", "news.ts"]) await guide.write(file);
  await guide.write("cluster.ts", `cluster.ts, with ${engine}`);
  await guide.runBlock("main.ts &");
  const [printed] = await guide.runBlock("news.ts");
  return printed;
}

describe("the guide to several machines, followed from an empty folder", () => {
  const EXPECTED = "There is news of a resource\nThe other node answers with 200";

  test("lets two nodes meet in Redis", async () => {
    const redis = await startRedis(findRedis()!.program);
    open.push(redis);
    expect(await follow("Redis", "REDIS_URL", redis.url)).toBe(EXPECTED);
  }, 60_000);

  test("lets two nodes meet in Postgres", async () => {
    const postgres = await startPostgres(findPostgres().bin);
    open.push(postgres);
    expect(await follow("Postgres", "DATABASE_URL", postgres.url)).toBe(EXPECTED);
  }, 60_000);
});
