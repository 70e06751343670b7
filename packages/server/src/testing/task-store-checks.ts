import type { TaskRecord, TaskStore } from "../tasks/store.ts";
import { expect, expectSame } from "./trial.ts";
import type { TaskStoreTrial } from "./task-store-trial.ts";

/** A rule, and how to find out whether a store keeps it. */
export interface TaskStoreCheck {
  readonly name: string;
  run(trial: TaskStoreTrial): Promise<void>;
}

/** Text that stores must keep as it is. */
const BODY = 'quotes " and \' and \\, lines\n\r\n\u2028, \u0000, é, 漢字, 🙂, {"json":[1,null]}';

const LARGE = 1_048_576;

/** The checks of stores of tasks. */
export const taskStoreChecks: readonly TaskStoreCheck[] = [
  {
    name: "A task that was created is there, as it was given, for all who use the store.",
    async run(trial) {
      const [one, other] = await trial.openTwo();
      const records = [
        trial.record({ body: BODY }),
        trial.record({ owner: null, expires: null, wake: null, isOver: true, body: "" }),
        trial.record({ owner: BODY, expires: 2 ** 45, wake: 0 }),
      ];
      for (const record of records) {
        expect(await one.create(record), "A task was not created, although its id is new.");
        for (const store of [one, other]) expectSame(await read(store, record.id), record, "The task that is read");
      }
    },
  },
  {
    name: "A task of a megabyte is kept whole.",
    async run(trial) {
      const store = await trial.open();
      const record = trial.record({ body: "é".repeat(LARGE / 2) });
      await store.create(record);
      const kept = await store.read(record.id);
      expect(kept?.body === record.body, `Of ${record.body.length} characters, ${kept?.body.length ?? 0} were kept.`);
    },
  },
  {
    name: "An id is used once, also if several create a task of it at the same moment.",
    async run(trial) {
      const [one, other] = await trial.openTwo();
      const id = trial.id();
      const stores = [one, other, one, other, one, other];
      const made = await Promise.all(stores.map((store, n) => store.create(trial.record({ id, body: `${n}` }))));
      const winners = made.flatMap((isMade, n) => (isMade ? [n] : []));
      expect(winners.length === 1, `Six created a task of one id at the same moment, and ${winners.length} succeeded.`);
      const kept = await other.read(id);
      expectSame(kept?.body, `${winners[0]}`, "The body of the one who succeeded");
      expect(!(await one.create(trial.record({ id }))), "A task was created in the place of another.");
    },
  },
  {
    name: "What is not there is read as undefined, and neither replaced nor an error when it is deleted.",
    async run(trial) {
      const store = await trial.open();
      const record = trial.record();
      expect((await store.read(record.id)) === undefined, "A task that was never created is there.");
      expect(!(await store.replace(trial.next(record), 1)), "A task that was never created was replaced.");
      expect((await store.read(record.id)) === undefined, "Replacing a task that was never created has made it.");
      await store.delete(record.id);
    },
  },
  {
    name: "A task is replaced if its version is the expected one, and otherwise left as it is.",
    async run(trial) {
      const [one, other] = await trial.openTwo();
      const first = trial.record();
      await one.create(first);
      const second = trial.next(first, { body: BODY, wake: 5, expires: null, isOver: true });
      expect(await other.replace(second, 1), "A task of the expected version was not replaced.");
      for (const store of [one, other]) expectSame(await read(store, first.id), second, "The task that took its place");
      expect(!(await one.replace(trial.next(first, { body: "late" }), 1)), "A task of a later version was replaced.");
      expect(!(await one.replace({ ...second, version: 4 }, 3)), "A task of an earlier version was replaced.");
      expectSame(await read(other, first.id), second, "The task after it was not replaced");
    },
  },
  {
    name: "Of many who replace a task at the same moment one succeeds, so that no change is lost.",
    async run(trial) {
      const [one, other] = await trial.openTwo();
      const record = trial.record({ body: "0" });
      await one.create(record);
      const writers = Array.from({ length: 12 }, (_, n) => addOne(trial, n % 2 === 0 ? one : other, record.id));
      await Promise.all(writers);
      const kept = await other.read(record.id);
      expectSame([kept?.body, kept?.version], ["12", 13], "The sum of twelve who added one each, and the version");
    },
  },
  {
    name: "A task that was deleted is gone for all, is in no list, and cannot be replaced.",
    async run(trial) {
      const [one, other] = await trial.openTwo();
      const record = trial.record({ wake: 1 });
      await one.create(record);
      await read(other, record.id);
      await one.delete(record.id);
      for (const store of [one, other]) {
        expect((await store.read(record.id)) === undefined, "A task that was deleted is still there.");
        expectSame(await store.list(record.owner, undefined, 10), [], "The list of its owner");
        expect(!(await trial.isDue(store, record.id)), "A task that was deleted is due.");
      }
      expect(!(await other.replace(trial.next(record), 1)), "A task that was deleted was replaced.");
      expect((await one.read(record.id)) === undefined, "Replacing a task that was deleted has brought it back.");
    },
  },
  {
    name: "Tasks are due whose time to wake or to expire has come, the longest due first, as many as asked for.",
    async run(trial) {
      const [one, other] = await trial.openTwo();
      const [woken, expired, waiting, later] = [
        trial.record({ wake: 20, expires: 900 }),
        trial.record({ wake: null, expires: 10 }),
        trial.record({ wake: null, expires: null }),
        trial.record({ wake: 51, expires: 1000 }),
      ];
      for (const record of [woken, expired, waiting, later]) await one.create(record);
      const dueAt = async (now: number): Promise<readonly string[]> => trial.own(await other.due(now, trial.most));
      expectSame(await dueAt(9), [], "What is due before anything is");
      expectSame(await dueAt(10), [expired.id], "What is due at the very moment at which a task expires");
      expectSame(await dueAt(50), [expired.id, woken.id], "What is due, the longest first");
      expectSame(await dueAt(2000), [expired.id, woken.id, later.id], "What is due in the end");
      const { length } = await other.due(2000, 2);
      expect(length === 2, `Of the tasks that are due, two were asked for, and ${length} were listed.`);
      await one.replace(trial.next(woken, { wake: null, expires: 900 }), 1);
      expectSame(await dueAt(50), [expired.id], "What is due after a task was put off");
    },
  },
  {
    name: "Tasks that are not over are counted: those of a caller, and all.",
    async run(trial) {
      const [one, other] = await trial.openTwo();
      const owner = trial.id();
      const before = (await other.count(owner)).all;
      const records = [
        trial.record({ owner }),
        trial.record({ owner }),
        trial.record(),
        trial.record({ owner, isOver: true }),
      ];
      for (const record of records) await one.create(record);
      const count = async (): Promise<readonly number[]> => {
        const counted = await other.count(owner);
        return [counted.owner, counted.all - before];
      };
      expectSame(await count(), [2, 3], "The tasks of a caller that are not over, and those of all");
      const [first, second] = records as [TaskRecord, TaskRecord];
      await one.replace(trial.next(first, { isOver: true }), 1);
      expectSame(await count(), [1, 2], "The counts after one was over");
      await one.delete(second.id);
      expectSame(await count(), [0, 1], "The counts after one was deleted");
    },
  },
  {
    name: "Tasks are listed for their owner by id, a page after the other. Nobody is an owner as well.",
    async run(trial) {
      const [one, other] = await trial.openTwo();
      const owner = trial.id();
      const records = Array.from({ length: 5 }, () => trial.record({ owner, body: BODY }));
      for (const record of [
        ...records,
        trial.record(),
        trial.record({ owner: "null" }),
        trial.record({ owner: null }),
      ]) {
        await one.create(record);
      }
      const sorted = records.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const first = await other.list(owner, undefined, 3);
      expectSame(first.map(pick), sorted.slice(0, 3).map(pick), "The first page of three");
      const rest = await other.list(owner, first.at(-1)?.id, 3);
      expectSame(rest.map(pick), sorted.slice(3).map(pick), "The page after the third task");
      const nobody = await other.list(null, undefined, 1000);
      expect(
        nobody.every((record) => record.owner === null),
        "Tasks of callers are in the list of nobody.",
      );
    },
  },
  {
    name: "If a store tells of changes, it does so for each task alone, until it is told to end that.",
    async run(trial) {
      const [one, other] = await trial.openTwo();
      if (other.watch === undefined) return;
      const [watched, ignored] = [trial.record(), trial.record()];
      for (const record of [watched, ignored]) await one.create(record);
      let calls = 0;
      const stop = other.watch(watched.id, () => {
        calls += 1;
      });
      await trial.until(
        async (turn) => {
          const kept = await one.read(watched.id);
          if (kept !== undefined) await one.replace(trial.next(kept, { body: `${turn}` }), kept.version);
          return calls > 0;
        },
        () => "A task was changed again and again, and the one who watches it was not told.",
      );
      stop();
      await trial.settled();
      const before = calls;
      const last = await one.read(watched.id);
      if (last !== undefined) await one.replace(trial.next(last), last.version);
      await trial.settled();
      expect(calls === before, "One who watches no more was told of a change.");
    },
  },
  {
    name: "If a store wakes workers, those of all processes hear of it, until they end that.",
    async run(trial) {
      const [one, other] = await trial.openTwo();
      if (other.onDue === undefined || one.wake === undefined) return;
      const id = trial.id();
      const heard: string[] = [];
      const stop = other.onDue((each) => void heard.push(each));
      await trial.until(
        async () => {
          await one.wake?.(id);
          return heard.includes(id);
        },
        () => "A worker was not woken.",
      );
      stop();
      await trial.settled();
      const { length } = heard;
      await one.wake(trial.id());
      await trial.settled();
      expect(heard.length === length, "A worker was woken that had ended that.");
    },
  },
];

/** Adds one to the number in a task, however often others are faster. */
async function addOne(trial: TaskStoreTrial, store: TaskStore, id: string): Promise<void> {
  await trial.until(
    async () => {
      const kept = await store.read(id);
      expect(kept !== undefined, "A task that is replaced is missing in between.");
      return store.replace(trial.next(kept, { body: `${Number(kept.body) + 1}` }), kept.version);
    },
    () => "A task could not be replaced, however often that was tried.",
  );
}

/** The members of a record in one order. */
function pick({ id, version, owner, expires, wake, isOver, body }: TaskRecord): TaskRecord {
  return { id, version, owner, expires, wake, isOver, body };
}

async function read(store: TaskStore, id: string): Promise<TaskRecord | undefined> {
  const record = await store.read(id);
  return record && pick(record);
}
