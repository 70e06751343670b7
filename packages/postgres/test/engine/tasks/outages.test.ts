import { inspect } from "node:util";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { postgresTaskStore, type PostgresTaskStore } from "../../../src/tasks/index.ts";
import { newTask, OPENERS, useTaskRig } from "./stores.ts";

const rig = useTaskRig();
const DOWN = { name: "ClusterError", code: "UNAVAILABLE" };

/** Expects that nothing is done, and that nobody is told that a task is not there. */
async function expectDown(store: PostgresTaskStore): Promise<void> {
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
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "UNAVAILABLE" });
}

describe.each(Object.entries(OPENERS))("%s", (_library, open) => {
  test("while Postgres hangs, every call is refused in time, and nothing is lost when it goes on", async () => {
    const [store, witness] = [await rig.join(open), await rig.witness()];
    const task = newTask();
    await store.create(task);
    rig.server.pause();
    await expectDown(store);
    rig.server.resume();
    await expect.poll(() => store.read(task.id).catch(() => "down")).toEqual(task);
    await expect.poll(() => witness.replace({ ...task, version: 2 }, 1).catch(() => "down")).toBe(true);
  });

  test("tasks survive that Postgres crashes, and the store finds it again", async () => {
    const store = await rig.join(open);
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
    const [store, witness] = [await rig.join(open), await rig.witness()];
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
});

test("a connection for hints that has fallen silent is replaced, if `pg` is used", async () => {
  const [store, witness] = [await rig.join(OPENERS["pg"]!), await rig.witness()];
  const woken: string[] = [];
  store.onDue((id) => woken.push(id));
  // One of them is the connection that listens.
  expect(rig.proxy.swallowThose("user")).toBeGreaterThan(0);
  await expect
    .poll(async () => {
      await witness.wake("again and again");
      return woken.length;
    })
    .toBeGreaterThan(0);
});

test("notifications and errors show neither ids of tasks nor their callers", async () => {
  const store = await rig.witness();
  const spy = new pg.Client({ connectionString: rig.server.url });
  await spy.connect();
  const payloads: string[] = [];
  spy.on("notification", ({ payload }) => payloads.push(payload ?? ""));
  await spy.query(`listen "toolwire.tasks"`);
  const task = newTask({ id: "secret-task", owner: "secret-caller", body: "secret-body" });
  try {
    await store.create(task);
    await store.replace({ ...task, version: 2 }, 1);
    await store.wake(task.id);
    await expect.poll(() => payloads.length).toBeGreaterThanOrEqual(2);
    const inBase64 = Buffer.from("secret").toString("base64").slice(0, 7);
    for (const payload of payloads) expect(payload).not.toMatch(new RegExp(`secret|${inBase64}`));

    await rig.operate("alter table toolwire.task rename to hidden");
    const error: unknown = await store.replace({ ...task, version: 3 }, 2).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ ...DOWN, message: expect.stringContaining("42P01") as unknown });
    expect(inspect(error, { depth: 9 }).replaceAll(/^ {4}at .*$/gm, "")).not.toContain("secret");
  } finally {
    await rig.operate("alter table if exists toolwire.hidden rename to task");
    await spy.end();
  }
});

test("notifications of roles that do not know the secret wake nobody up with a made-up task", async () => {
  const store = await rig.witness();
  const woken: string[] = [];
  let heard = 0;
  store.onDue((id) => woken.push(id));
  store.watch("a", () => (heard += 1));
  for (const payload of [
    "",
    "d",
    "dtask-1",
    `d${btoa("task-1".repeat(20))}`,
    "c",
    "cx zz",
    "p",
    "x",
    "c".repeat(7000),
  ]) {
    await rig.operate(`select pg_notify('toolwire.tasks', '${payload}')`);
  }
  // Whoever knows that there is a task may make others look at it, and nothing else.
  await rig.operate(`select pg_notify('toolwire.tasks', 'aother')`);
  await store.wake("the last one");
  await expect.poll(() => woken).toEqual(["the last one"]);
  expect(heard).toBeGreaterThan(0);
});

test("a store that was closed refuses everything, gives every connection back, and leaves the pool open", async () => {
  const pool = new pg.Pool({ connectionString: rig.server.url });
  const store = await postgresTaskStore(pool);
  await store.read("a");
  expect(pool.totalCount - pool.idleCount).toBe(1);
  await store.close();
  await store.close();
  await expect(store.read("a")).rejects.toThrow("This store of tasks was closed.");
  await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0);
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

test("a Postgres that cannot be reached is said so in time", async () => {
  rig.proxy.refuse();
  for (const open of Object.values(OPENERS)) {
    await expect(open(`postgres://nobody@127.0.0.1:${rig.proxy.port}/none`)).rejects.toMatchObject({
      code: "UNAVAILABLE",
    });
  }
});
