import { inspect } from "node:util";
import { createClient } from "redis";
import { describe, expect, test } from "vitest";
import type { RedisTaskStore } from "../../../src/tasks/index.ts";
import { CLIENTS } from "../clients.ts";
import { newTask, useTaskRig } from "./stores.ts";

const rig = useTaskRig();
const DOWN = { name: "ClusterError", code: "UNAVAILABLE" };

/** Expects that nothing is done, and that nobody is told that a task is not there. */
async function expectDown(store: RedisTaskStore): Promise<void> {
  const task = newTask();
  const calls = [
    () => store.create(task),
    () => store.read(task.id),
    () => store.replace(task, 1),
    () => store.delete(task.id),
    () => store.due(0, 10),
    () => store.count(null),
    () => store.list(null, undefined, 10),
    () => store.wake(task.id),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject(DOWN);
}

describe.each(Object.entries(CLIENTS))("%s", (_library, make) => {
  test("while the engine hangs, every call is refused in time, and nothing is lost when it goes on", async () => {
    const [store, witness] = [await rig.join(make), await rig.witness()];
    const task = newTask();
    await store.create(task);
    rig.server.pause();
    await expectDown(store);
    rig.server.continue();
    await expect.poll(() => store.read(task.id).catch(() => "down")).toEqual(task);
    expect(await witness.replace({ ...task, version: 2 }, 1)).toBe(true);
  });

  test("tasks survive that the engine is killed, and the store finds it again", async () => {
    const store = await rig.join(make);
    const task = newTask({ wake: 1 });
    await store.create(task);
    await store.replace({ ...task, version: 2 }, 1);
    await rig.server.crash();
    await expectDown(store);
    await rig.server.restart();
    await expect.poll(() => store.read(task.id).catch(() => "down")).toEqual({ ...task, version: 2 });
    expect(await store.due(1, 1000)).toContain(task.id);
    expect(await store.count(task.owner)).toMatchObject({ owner: 1 });
    await store.delete(task.id);
    expect(await store.read(task.id)).toBeUndefined();
  });

  test("a store that is cut off refuses everything, hears again afterwards, and is told that it may have missed changes", async () => {
    const [store, witness] = [await rig.join(make), await rig.witness()];
    const task = newTask();
    await witness.create(task);
    let heard = 0;
    store.watch(task.id, () => (heard += 1));
    rig.proxy.refuse();
    rig.proxy.reset();
    await expectDown(store);
    await witness.replace({ ...task, version: 2 }, 1);
    expect(heard).toBe(0);
    await rig.proxy.listen();
    await expect.poll(() => heard).toBeGreaterThan(0);
    const before = heard;
    await witness.replace({ ...task, version: 3 }, 2);
    await expect.poll(() => heard).toBeGreaterThan(before);
  });

  test("a connection for hints that has fallen silent is replaced", async () => {
    const [store, witness] = [await rig.join(make), await rig.witness()];
    const woken: string[] = [];
    store.onDue((id) => woken.push(id));
    expect(rig.proxy.swallowThose("subscribe")).toBe(1);
    await expect
      .poll(async () => {
        await witness.wake("again and again");
        return woken.length;
      })
      .toBeGreaterThan(0);
  });
});

test("names of keys and channels, and errors, show neither ids of tasks nor their callers", async () => {
  const [store, admin] = [await rig.witness(), createClient({ url: rig.server.url })];
  await admin.connect();
  const task = newTask({ id: "secret-task", owner: "secret-caller", body: "secret-body", wake: 1 });
  await store.create(task);
  const [keys, channels] = [await admin.keys("*"), await admin.pubSubChannels()];
  expect(keys.length).toBeGreaterThanOrEqual(5);
  expect(channels).toContain("toolwire:tasks");
  expect([...keys, ...channels].join(" ")).not.toContain("secret");

  await admin.configSet("maxmemory", "1");
  try {
    const error: unknown = await store.replace({ ...task, version: 2 }, 1).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ ...DOWN, message: expect.stringContaining("OOM") as unknown });
    expect(inspect(error, { depth: 9 }).replaceAll(/^ {4}at .*$/gm, "")).not.toContain("secret");
  } finally {
    await admin.configSet("maxmemory", "0");
    admin.destroy();
  }
});

test("a store that was closed refuses everything, and leaves the client open", async () => {
  const { client, destroy } = CLIENTS["node-redis"]!(rig.server.port);
  const { redisTaskStore } = await import("../../../src/tasks/index.ts");
  const store = await redisTaskStore(client);
  await store.close();
  await store.close();
  await expect(store.read("a")).rejects.toThrow("This store of tasks was closed.");
  const again = await redisTaskStore(client);
  expect(await again.read("a")).toBeUndefined();
  await again.close();
  destroy();
});

test("an engine that cannot be reached is said so in time", async () => {
  const { redisTaskStore } = await import("../../../src/tasks/index.ts");
  rig.proxy.refuse();
  for (const make of Object.values(CLIENTS)) {
    const { client, destroy } = make(rig.proxy.port);
    await expect(redisTaskStore(client, { connectTimeout: 300 })).rejects.toMatchObject(DOWN);
    destroy();
  }
});
