/** Stores of tasks that break one rule each, to show that the contract finds it. */
import { memoryTaskStore, type TaskRecord, type TaskStore } from "../../src/tasks/index.ts";

/** What a broken store does otherwise than one that is whole. */
export type Break = (whole: TaskStore) => Partial<TaskStore>;

const lower = (record: TaskRecord | undefined): TaskRecord | undefined =>
  record && { ...record, body: record.body.replaceAll("\r\n", "\n") };

/** What is wrong, the beginning of the rule that finds it, and how it is broken. */
export const BROKEN: readonly (readonly [what: string, rule: string, breaks: Break])[] = [
  [
    "changes the ends of lines",
    "A task that was created is there",
    ({ read }) => ({ read: async (id) => lower(await read(id)) }),
  ],
  [
    "cuts what is long",
    "A task of a megabyte",
    ({ create }) => ({ create: (record) => create({ ...record, body: record.body.slice(0, 65_536) }) }),
  ],
  [
    "puts a new task in the place of an old one",
    "An id is used once",
    ({ create, delete: remove }) => ({
      async create(record) {
        await remove(record.id);
        return create(record);
      },
    }),
  ],
  [
    "makes a task that it should replace",
    "What is not there",
    ({ create, read, replace }) => ({
      replace: async (record, ifVersion) =>
        (await read(record.id)) === undefined ? create(record) : replace(record, ifVersion),
    }),
  ],
  [
    "replaces any earlier version",
    "A task is replaced if",
    ({ read, replace }) => ({
      async replace(record) {
        const kept = await read(record.id);
        return kept === undefined ? false : replace(record, kept.version);
      },
    }),
  ],
  [
    "compares and replaces in two steps",
    "Of many who replace",
    ({ read, replace }) => ({
      async replace(record, ifVersion) {
        const kept = await read(record.id);
        if (kept === undefined || kept.version !== ifVersion) return false;
        await new Promise((resolve) => void setTimeout(resolve, 2));
        const now = await read(record.id);
        await replace({ ...record, version: (now?.version ?? 0) + 1 }, now?.version ?? 0);
        return true;
      },
    }),
  ],
  [
    "lists what was deleted",
    "A task that was deleted",
    ({ create, list }) => {
      const all: TaskRecord[] = [];
      return {
        create: (record) => {
          all.push(record);
          return create(record);
        },
        list: async (owner, after, limit) => {
          const kept = all.filter((record) => record.owner === owner);
          return kept.length > 0 ? kept : list(owner, after, limit);
        },
      };
    },
  ],
  ["is late by a moment", "Tasks are due", ({ due }) => ({ due: (now, limit) => due(now - 1, limit) })],
  [
    "counts tasks that are over",
    "Tasks that are not over",
    ({ create, count }) => {
      let over = 0;
      return {
        create: (record) => {
          if (record.isOver) over += 1;
          return create(record);
        },
        async count(owner) {
          const counted = await count(owner);
          return { owner: counted.owner + over, all: counted.all + over };
        },
      };
    },
  ],
  [
    "repeats the last task of a page on the next one",
    "Tasks are listed",
    ({ list }) => ({
      list: async (owner, after, limit) =>
        (await list(owner, undefined, 1000)).filter(({ id }) => after === undefined || id >= after).slice(0, limit),
    }),
  ],
  ["never tells of a change", "If a store tells of changes", () => ({ watch: () => () => {} })],
  ["wakes nobody", "If a store wakes workers", () => ({ wake: async () => {} })],
];

/** Makes a store that breaks a rule. */
export function createBrokenStore(breaks: Break): TaskStore {
  const store = memoryTaskStore();
  const whole: TaskStore = {
    create: (record) => store.create(record),
    read: (id) => store.read(id),
    replace: (record, ifVersion) => store.replace(record, ifVersion),
    delete: (id) => store.delete(id),
    due: (now, limit) => store.due(now, limit),
    count: (owner) => store.count(owner),
    list: (owner, after, limit) => store.list(owner, after, limit),
    watch: (id, changed) => store.watch?.(id, changed) ?? (() => {}),
    onDue: (due) => store.onDue?.(due) ?? (() => {}),
    wake: async (id) => store.wake?.(id),
  };
  return { ...whole, ...breaks(whole) };
}
