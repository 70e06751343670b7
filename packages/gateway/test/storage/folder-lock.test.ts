import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockFolder } from "../../src/storage/folder-lock.ts";
import { makeFolder } from "./databases.ts";

let folder: string;

beforeEach(async () => {
  folder = await makeFolder();
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function changeHolder(members: object): Promise<void> {
  const file = join(folder, "lock");
  const holder = JSON.parse(await readFile(file, "utf8")) as object;
  await writeFile(file, JSON.stringify({ ...holder, ...members }));
}

test("Of many that want a folder at once, one gets it, and another one when that is done", async () => {
  const attempts = await Promise.allSettled(Array.from({ length: 10 }, () => lockFolder(folder)));
  const [got, ...more] = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []));
  expect(more).toEqual([]);
  await got?.();
  const unlock = await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toThrow(`is in use by the process ${process.pid}`);
  await unlock();
});

test("The lock of a process that is gone is taken over at once, also if another process has its id now", async () => {
  const unlock = await lockFolder(folder);
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  await changeHolder({ pid: child.pid, token: "gone" });
  const second = await lockFolder(folder);
  await changeHolder({ startedAt: "1", token: "older" });
  const third = await lockFolder(folder);
  // Those who have lost it do not take it away from its new holder.
  await unlock();
  await second();
  await expect(lockFolder(folder)).rejects.toThrow("is in use");
  await third();
});

test("The lock of a process in another container holds for as long as there are signs of life", async () => {
  const unlock = await lockFolder(folder);
  await changeHolder({ place: "elsewhere boot pid:[1]", token: "other" });
  await expect(lockFolder(folder, 30_000)).rejects.toThrow(`is in use by the process ${process.pid} on elsewhere`);
  await unlock();
  const second = await lockFolder(folder, 1000);
  await second();
});
