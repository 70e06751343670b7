import type { StoredKey } from "../cluster/stores.ts";
import { TEXT } from "./session-checks.ts";
import { expect, expectSame, LONG, type ClusterCheck } from "./trial.ts";

/** The checks of limits, of keys that pass once, and of the ring of keys. */
export const storeChecks: readonly ClusterCheck[] = [
  {
    name: "All nodes together take as many tokens from a bucket as it holds.",
    async run(trial) {
      const nodes = await trial.connectThree();
      const [key, bucket] = [trial.name(), { limit: 5, window: LONG }];
      const waits = await trial.atOnce(nodes, 15, ({ limits }) => limits.take(key, bucket));
      const { length } = waits.filter((wait) => wait === 0);
      expect(length === 5, `From a bucket with 5 tokens, ${length} were taken.`);
      const most = bucket.window / bucket.limit;
      const fits = waits.every((wait) => wait >= 0 && wait <= most + 1);
      expect(fits, `One has to wait ${most} milliseconds at most for a token, and was told ${waits.join(", ")}.`);
      expect((await nodes[0].limits.take(trial.name(), bucket)) === 0, "The bucket of another key is empty, too.");
    },
  },
  {
    name: "A bucket fills up again by the clock of the engine.",
    async run(trial) {
      const { limits } = await trial.connect();
      const [key, bucket] = [trial.name(), { limit: 2, window: 1000 }];
      let taken = 0;
      while ((await limits.take(key, bucket)) === 0 && taken < 100) taken++;
      expect(taken >= 2 && taken < 100, `From a bucket with 2 tokens, ${taken} were taken at once.`);
      await trial.until(
        async () => (await limits.take(key, bucket)) === 0,
        () => "An empty bucket does not fill up again.",
      );
    },
  },
  {
    name: "Of several nodes that claim a key at the same moment, one succeeds.",
    async run(trial) {
      const nodes = await trial.connectThree();
      for (const key of [trial.name(), `${trial.name()} ${TEXT}`]) {
        const claims = await trial.atOnce(nodes, 12, ({ once }) => once.claim(key, LONG));
        const { length } = claims.filter(Boolean);
        expect(length === 1, `Twelve callers claimed a key at the same moment, and ${length} of them succeeded.`);
        expect(!(await nodes[0].once.claim(key, LONG)), "A key was claimed twice.");
      }
    },
  },
  {
    name: "A key can be claimed again once its time has ended, and not before.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const [kept, brief] = [trial.name(), trial.name()];
      await one.once.claim(kept, LONG);
      await one.once.claim(brief, 100);
      await trial.until(
        () => other.once.claim(brief, LONG),
        () => "A key that was claimed for 100 milliseconds cannot be claimed again.",
      );
      expect(!(await other.once.claim(kept, LONG)), "A key was claimed again before its time had ended.");
    },
  },
  {
    name: "All nodes see the same ring of keys, the newest first, with their ages.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      for (const { id } of await one.keys.list()) await one.keys.remove(id);
      const [first, second] = [createKey(), createKey()];
      expect(!(await one.keys.add(first, "missing")), "A key was added after one that is not there.");
      expect(await one.keys.add(first, undefined), "The first key was not added to an empty ring.");
      expect(
        !(await other.keys.add(second, undefined)),
        "A key was added as the first of a ring that has one already.",
      );
      expect(await other.keys.add(second, first.id), "A key was not added after the newest one.");
      expect(
        !(await one.keys.add(createKey(), first.id)),
        "A key was added after one that is not the newest any more.",
      );
      for (const { keys } of [one, other]) {
        const list = await keys.list();
        const found = list.map(({ id, secret }) => ({ id, secret }));
        expect(JSON.stringify(found) === JSON.stringify([second, first]), "The ring has other keys than were added.");
        const [newer = -1, older = -1] = list.map(({ age }) => age);
        expect(newer >= 0 && older >= newer && older < LONG, `The keys have the ages ${newer} and ${older}.`);
      }
      await other.keys.remove(first.id);
      await other.keys.remove(first.id);
      const left = (await one.keys.list()).map(({ id }) => id);
      expectSame(left, [second.id], "The ring after a key was removed");
      await one.keys.remove(second.id);
    },
  },
  {
    name: "Of several nodes that rotate keys at the same moment, one does, and repeating that is no error.",
    async run(trial) {
      const nodes = await trial.connectThree();
      for (const { id } of await nodes[0].keys.list()) await nodes[0].keys.remove(id);
      let newest: string | undefined;
      for (let rotation = 0; rotation < 3; rotation++) {
        const keys = Array.from({ length: 6 }, createKey);
        const after = newest;
        const outcomes = await trial.atOnce(nodes, 6, (node, index) =>
          node.keys.add(keys[index] ?? createKey(), after),
        );
        const added = keys.filter((_key, index) => outcomes[index] === true);
        expect(
          added.length === 1,
          `Six callers added a key after the same one, and ${added.length} of them succeeded.`,
        );
        const [key] = added;
        expect(key !== undefined && (await nodes[1].keys.add(key, after)), "Adding a key again was no success.");
        newest = key.id;
      }
      const list = await nodes[2].keys.list();
      expect(list.length === 3, `After three rotations, the ring has ${list.length} keys.`);
      expect(list[0]?.id === newest, "The newest key is not the first of the ring.");
      for (const { id } of list) await nodes[0].keys.remove(id);
    },
  },
];

function createKey(): StoredKey {
  const id = crypto.randomUUID().replaceAll("-", "").slice(0, 16);
  return { id, secret: `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "").slice(0, 43) };
}
