import { createClient } from "redis";
import { expect, test } from "vitest";
import { NET } from "../../../src/tasks/scripts.ts";
import { TaskNames } from "../../../src/tasks/names.ts";
import { newTask, useTaskRig } from "./stores.ts";

const rig = useTaskRig();
const names = new TaskNames("toolwire");

async function openAdmin() {
  const admin = createClient({ url: rig.server.url });
  await admin.connect();
  await admin.flushAll();
  return admin;
}

test("Redis keeps a task for a day longer than it may be deleted, and all keys end by themselves", async () => {
  const [store, admin] = [await rig.witness(), await openAdmin()];
  const now = Date.now();
  const [past, later] = [newTask({ expires: 1, wake: 1 }), newTask({ expires: now + NET, wake: 1 })];
  await store.create(past);
  await store.create(later);
  expect(await store.read(past.id)).toEqual(past);
  const [shorter, longer] = await Promise.all([past, later].map(({ id }) => admin.pTTL(names.record(id))));
  expect(shorter! > NET - 60_000 && shorter! <= NET, `${shorter} milliseconds`).toBe(true);
  expect(longer! > 2 * NET - 60_000 && longer! <= 2 * NET + 60_000, `${longer} milliseconds`).toBe(true);
  const keys = await admin.keys("*");
  expect(keys.length).toBe(8);
  for (const key of keys) expect(await admin.pTTL(key), key).toBeGreaterThan(0);
  await store.create(newTask({ owner: later.owner }));
  expect(await admin.pTTL(names.listOf(later.owner)), "the list of a task that never ends").toBeGreaterThan(100 * NET);
  admin.destroy();
});

test("tasks that Redis has dropped are not listed, not due and not counted any more", async () => {
  const [store, admin] = [await rig.witness(), await openAdmin()];
  const tasks = Array.from({ length: 10 }, (_, index) =>
    newTask({ id: `task ${index}`, owner: "caller", wake: index }),
  );
  for (const task of tasks) await store.create(task);
  for (const { id } of tasks.slice(0, 8)) await admin.del(names.record(id));
  expect(await store.due(100, 1)).toEqual(["task 8"]);
  expect(await store.due(100, 10)).toEqual(["task 8", "task 9"]);
  expect((await store.list("caller", undefined, 1)).map(({ id }) => id)).toEqual(["task 8"]);
  expect((await store.list("caller", "task 8", 5)).map(({ id }) => id)).toEqual(["task 9"]);
  expect([await admin.zCard(names.due), await admin.zCard(names.listOf("caller"))]).toEqual([2, 2]);
  // As if their time had passed.
  for (const key of [names.open, names.openOf("caller")]) {
    const dropped = (await admin.zRange(key, 0, -1)).slice(0, 8);
    await admin.zAdd(
      key,
      dropped.map((value) => ({ score: 1, value })),
    );
  }
  expect(await store.count("caller")).toEqual({ owner: 2, all: 2 });
  admin.destroy();
});

test("a task that is deleted leaves nothing behind", async () => {
  const [store, admin] = [await rig.witness(), await openAdmin()];
  const task = newTask({ wake: 1, expires: 2 });
  await store.create(task);
  await store.replace({ ...task, version: 2, owner: "another caller" }, 1);
  expect(await store.count(task.owner)).toEqual({ owner: 0, all: 1 });
  expect(await store.list(task.owner, undefined, 5)).toEqual([]);
  await store.delete(task.id);
  expect(await admin.keys("*")).toEqual([]);
  admin.destroy();
});
