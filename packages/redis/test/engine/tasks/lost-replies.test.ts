import type { TaskRecord } from "@toolwire/server/tasks";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../../src/tasks/names.ts";
import type { RedisTaskStore } from "../../../src/tasks/index.ts";
import { CLIENTS } from "../clients.ts";
import { newTask, useTaskRig } from "./stores.ts";

const rig = useTaskRig();

/** A kind of write. `prepare` does what has to be done before. */
interface Write {
  prepare?(store: RedisTaskStore, task: TaskRecord): Promise<unknown>;
  act(store: RedisTaskStore, task: TaskRecord): Promise<unknown>;
}

const create = (store: RedisTaskStore, task: TaskRecord) => store.create(task);

const WRITES: { readonly [kind: string]: Write } = {
  "creating a task": { act: create },
  "creating a task that is there": { prepare: create, act: create },
  "replacing a task": { prepare: create, act: (store, task) => store.replace({ ...task, version: 2, wake: 5 }, 1) },
  "replacing a task that has another version": {
    prepare: create,
    act: (store, task) => store.replace({ ...task, version: 8 }, 7),
  },
  "deleting a task": { prepare: create, act: (store, { id }) => store.delete(id) },
};

/** What is left of a write. */
async function look(store: RedisTaskStore, { id, owner }: TaskRecord): Promise<unknown> {
  const found = await store.read(id);
  const { owner: count } = await store.count(owner);
  const due = await store.due(10, 1000);
  return { found: found && { ...found, id: "", owner: "" }, count, isDue: due.includes(id) };
}

describe.each(Object.entries(CLIENTS))("%s", (_library, make) => {
  test.each(Object.entries(WRITES))(
    "%s has the same effect and the same outcome if the reply to it is lost",
    async (_kind, { prepare, act }) => {
      const [store, witness] = [await rig.join(make), await rig.witness()];
      const [calm, cut] = [newTask(), newTask()];
      await prepare?.(witness, calm);
      const expected = { outcome: await act(store, calm), left: await look(witness, calm) };

      await prepare?.(witness, cut);
      const isCut = rig.proxy.cutBeforeReply(digestOf(cut.id));
      const outcome = await act(store, cut);
      await isCut;
      expect({ outcome, left: await look(witness, cut) }).toEqual(expected);
    },
  );

  test("a writer whose reply is lost is told that it has written, although others have written since", async () => {
    const [store, witness] = [await rig.join(make), await rig.witness()];
    const task = newTask();
    await store.create(task);
    const isCut = rig.proxy.cutBeforeReply(digestOf(task.id));
    rig.proxy.refuse();
    const replaced = store.replace({ ...task, version: 2 }, 1);
    await isCut;
    for (const version of [3, 4, 5]) expect(await witness.replace({ ...task, version }, version - 1)).toBe(true);
    await rig.proxy.listen();
    expect(await replaced).toBe(true);
    expect(await witness.read(task.id)).toEqual({ ...task, version: 5 });
  });
});
