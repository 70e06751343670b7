import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import type { RedisTaskStore } from "../../../src/tasks/index.ts";
import { CLIENTS } from "../clients.ts";
import { newTask, useTaskRig } from "./stores.ts";

// Nothing is broken here, and a machine may be busy.
const rig = useTaskRig({ timeout: 20_000 });
const children: ChildProcess[] = [];
const program = fileURLToPath(new URL("another-process.ts", import.meta.url));

afterEach(async () => {
  for (const child of children.splice(0)) {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
});

/** Starts a process, which has opened its store when this resolves. */
async function start(id: string, times: number): Promise<ChildProcess> {
  const child = fork(program, [rig.server.url, id, String(times)], {
    execArgv: ["--conditions=@toolwire/source", "--import", "tsx"],
  });
  children.push(child);
  await once(child, "message");
  return child;
}

/** Counts up in the body of a task. Returns the versions that were written. */
async function countUp(store: RedisTaskStore, id: string): Promise<number> {
  for (;;) {
    const task = await store.read(id);
    if (task === undefined) throw new Error("The task is not there.");
    const next = { ...task, version: task.version + 1, body: String(Number(task.body) + 1) };
    if (await store.replace(next, task.version)) return next.version;
  }
}

test.each(Object.entries(CLIENTS))(
  "%s: of fifty writers of a task, none undoes what another has done",
  async (_library, make) => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => rig.join(make)));
    const task = newTask({ body: "0" });
    expect((await Promise.all(stores.map((store) => store.create(task)))).filter(Boolean)).toHaveLength(1);
    const writers = Array.from({ length: 50 }, (_, index) => countUp(stores[index % 5]!, task.id));
    expect(new Set(await Promise.all(writers)).size).toBe(50);
    expect(await stores[0]!.read(task.id)).toEqual({ ...task, version: 51, body: "50" });
  },
);

test("two processes change a task in turn, and each hears of the other", async () => {
  const store = await rig.witness();
  const task = newTask({ body: "0" });
  await store.create(task);
  let heard = 0;
  store.watch(task.id, () => (heard += 1));
  const [one, other] = [await start(task.id, 200), await start(task.id, 200)];
  const dones = [one, other].map(
    (child) => new Promise<void>((resolve) => child.on("message", (message) => message === "done" && resolve())),
  );
  for (const child of [one, other]) child.send("go");
  await Promise.all(dones);
  expect(await store.read(task.id)).toEqual({ ...task, version: 401, body: "400" });
  await expect.poll(() => heard).toBeGreaterThan(300);
});

test("another process hears at once that a task is due, and that this process has changed it", async () => {
  const store = await rig.witness();
  const task = newTask();
  await store.create(task);
  const child = await start(task.id, 0);
  const messages: unknown[] = [];
  child.on("message", (message) => messages.push(message));
  await store.wake(task.id);
  await store.replace({ ...task, version: 2 }, 1);
  await store.delete(task.id);
  await expect.poll(() => messages).toEqual([{ due: task.id }, { changed: task.id }, { changed: task.id }]);
});

test("a store hears of its own changes once, before the write resolves", async () => {
  const store = await rig.witness();
  const task = newTask();
  await store.create(task);
  let heard = 0;
  const woken: string[] = [];
  const stop = store.watch(task.id, () => (heard += 1));
  store.onDue((id) => woken.push(id));
  await store.replace({ ...task, version: 2 }, 1);
  expect(heard).toBe(1);
  expect(await store.replace({ ...task, version: 2 }, 1)).toBe(false);
  // Whatever else was published has arrived before this.
  await store.wake(task.id);
  await expect.poll(() => woken).toEqual([task.id]);
  expect(heard).toBe(1);
  stop();
  await store.delete(task.id);
  expect(heard).toBe(1);
});
