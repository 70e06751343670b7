import type { Cluster } from "../cluster/cluster.ts";
import { TEXT } from "./session-checks.ts";
import {
  expect,
  expectSame,
  hear,
  type Hearing,
  type ClusterCheck,
  type ClusterContractOptions,
  type Trial,
} from "./trial.ts";

/** Texts that are no places of a log. Clients send them. */
const NO_PLACES: readonly string[] = [
  "",
  "0",
  "nonsense",
  "1.2.3.4",
  "-1",
  "0-0",
  "a.b",
  "9".repeat(64),
  "x".repeat(64),
  "'; --",
];

/** The checks of the log of changes. */
export function changeChecks({ maxChanges, restartEmpty }: ClusterContractOptions): ClusterCheck[] {
  const checks: ClusterCheck[] = [
    {
      name: "A change reaches the listeners of all nodes, also of the one that announces it.",
      async run(trial) {
        const nodes = await trial.connectThree();
        const prefix = trial.name();
        const hearings = [...nodes, nodes[0]].map((node) => hear(node, { prefix }));
        await announce(trial, nodes[0], [`${prefix} 1`, `${prefix} ${TEXT}`]);
        await announce(trial, nodes[1], []);
        await announce(trial, nodes[1], [`${prefix} 3`]);
        for (const hearing of hearings) {
          await hears(trial, hearing, [`${prefix} 1`, `${prefix} ${TEXT}`, `${prefix} 3`]);
        }
      },
    },
    {
      name: "All nodes hear changes in one order, in which those of one node are as it announced them.",
      async run(trial) {
        const nodes = await trial.connectThree();
        const prefix = trial.name();
        const hearings = nodes.map((node) => hear(node, { prefix }));
        const numbers = Array.from({ length: 20 }, (_, number) => number);
        const announcing = nodes.map(async (node, index) => {
          for (const number of numbers) await node.bus.announce([`${prefix} ${index} ${number}`]);
        });
        await trial.settle(Promise.all(announcing), "Changes of three nodes were not announced in time.");
        for (const hearing of hearings) {
          await trial.until(
            () => hearing.changes.length >= 60,
            () => `Of 60 changes, a node has heard ${hearing.changes.length}.`,
          );
          expectSame(hearing.changes, hearings[0]?.changes, "The order of changes at two nodes");
        }
        for (const index of nodes.keys()) {
          const own = hearings[0]?.changes.filter((change) => change.startsWith(`${prefix} ${index} `));
          const expected = numbers.map((number) => `${prefix} ${index} ${number}`);
          expectSame(own, expected, "The changes of one node");
        }
      },
    },
    {
      name: "A listener is told where the log stands, before anything has changed.",
      async run(trial) {
        const [one, other] = await trial.connectTwo();
        const change = trial.name();
        const hearing = hear(one);
        await trial.until(
          () => hearing.places.length > 0,
          () => "A listener was not told where the log stands.",
        );
        await announce(trial, other, [change]);
        const batch = await one.bus.changesAfter(hearing.places[0] ?? "", 1000);
        const found = batch !== "gap" && batch.changes.includes(change);
        expect(found, "A change is not among those after the place that a listener was told at first.");
      },
    },
    {
      name: "Changes of 65,536 characters are announced at once, and more are refused as too large.",
      async run(trial) {
        const node = await trial.connect();
        const prefix = trial.name();
        const hearing = hear(node, { prefix });
        const most = [prefix + "x".repeat(30_000 - prefix.length), prefix + "y".repeat(35_536 - prefix.length)];
        await announce(trial, node, most);
        await hears(trial, hearing, most);
        await trial.expectRefusal(node.bus.announce([...most, "z"]), ["TOO_LARGE"], "Announcing too much");
      },
    },
    {
      name: "A listener that has ended hears no more changes.",
      async run(trial) {
        const node = await trial.connect();
        const prefix = trial.name();
        const [ended, other] = [hear(node, { prefix }), hear(node, { prefix })];
        ended.stop();
        await announce(trial, node, [`${prefix} 1`]);
        await hears(trial, other, [`${prefix} 1`]);
        expect(ended.changes.length === 0, "A listener that has ended has heard a change.");
      },
    },
    {
      name: "From the place of a batch, every node reads on, as many changes at once as it wants.",
      async run(trial) {
        const [one, other] = await trial.connectTwo();
        const prefix = trial.name();
        const place = await findPlace(trial, one);
        const changes = Array.from({ length: 5 }, (_, number) => `${prefix} ${number}`);
        await announce(trial, other, changes);
        for (const { bus } of [one, other]) {
          const read: string[] = [];
          let next = place;
          for (let reads = 0; reads < 1000; reads++) {
            const batch = await trial.settle(bus.changesAfter(next, 2), "`changesAfter` did not answer in time.");
            expect(batch !== "gap", "Reading on from a place gave a gap, although nothing was dropped.");
            expect(batch.changes.length <= 2, "`changesAfter` gave more changes than its limit.");
            expectPlace(batch.place);
            read.push(...batch.changes);
            next = batch.place;
            if (batch.changes.length === 0) break;
          }
          const own = read.filter((change) => change.startsWith(prefix));
          expectSame(own, changes, "The changes after a place");
        }
      },
    },
    {
      name: "A place that never was is a gap, and no error.",
      async run(trial) {
        const { bus } = await trial.connect();
        for (const place of NO_PLACES) {
          const batch = await trial.settle(bus.changesAfter(place, 10), "`changesAfter` did not answer in time.");
          expect(batch === "gap", `Reading on from ${JSON.stringify(place)}, which is no place, did not give a gap.`);
        }
      },
    },
  ];
  if (maxChanges !== undefined) checks.push(droppedCheck(maxChanges));
  if (restartEmpty !== undefined) checks.push(restartCheck(restartEmpty));
  return checks;
}

function droppedCheck(maxChanges: number): ClusterCheck {
  return {
    name: "Once changes were dropped, reading on from before them gives a gap.",
    async run(trial) {
      const node = await trial.connect();
      const place = await findPlace(trial, node);
      const batch = Array.from({ length: 500 }, (_, number) => `${trial.name()} ${number}`);
      let isGap = false;
      // The log may be cut from time to time only.
      for (let announced = 0; announced <= maxChanges * 3 && !isGap; announced += batch.length) {
        await announce(trial, node, batch);
        isGap = (await node.bus.changesAfter(place, 1)) === "gap";
      }
      expect(isGap, `After three times ${maxChanges} changes, none of them was dropped, or reading on gave no gap.`);
      const latest = await findPlace(trial, node);
      expect((await node.bus.changesAfter(latest, 1)) !== "gap", "The latest changes were dropped.");
    },
  };
}

function restartCheck(restartEmpty: () => void | Promise<void>): ClusterCheck {
  return {
    name: "When the engine begins anew, listeners are told that they missed changes, and places from before are gaps.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const prefix = trial.name();
      const hearing = hear(one, { prefix });
      const place = await findPlace(trial, one);
      await trial.settle(restartEmpty(), "`restartEmpty` was not done in time.");
      await trial.until(
        () => hearing.missed > 0,
        () => "A listener was not told that it may have missed changes.",
      );
      // The other node may not have noticed yet that the engine is back.
      await trial.until(
        () =>
          other.bus.announce([`${prefix} 1`]).then(
            () => true,
            () => false,
          ),
        () => "A node could not announce changes after the engine was back.",
      );
      await trial.until(
        () => hearing.changes.length > 0,
        () => "A change did not arrive after the engine was back.",
      );
      expect(
        (await one.bus.changesAfter(place, 10)) === "gap",
        "A place of the log before is one of the new log, too.",
      );
    },
  };
}

/** The place where the log of changes stands. */
async function findPlace(trial: Trial, node: Cluster): Promise<string> {
  const prefix = trial.name();
  const hearing = hear(node, { prefix });
  await announce(trial, node, [`${prefix} place`]);
  await hears(trial, hearing, [`${prefix} place`]);
  hearing.stop();
  const place = hearing.places.at(-1) ?? "";
  expectPlace(place);
  return place;
}

function expectPlace(place: string): void {
  expect(/^[\w.]{1,64}$/.test(place), `A place is not made of at most 64 characters of \`A-Z a-z 0-9 . _\`: ${place}`);
}

async function announce(trial: Trial, { bus }: Cluster, changes: readonly string[]): Promise<void> {
  await trial.settle(bus.announce(changes), "`announce` did not resolve in time.");
}

async function hears(trial: Trial, hearing: Hearing, changes: readonly string[]): Promise<void> {
  await trial.until(
    () => hearing.changes.length >= changes.length,
    () => `Of ${changes.length} changes, a listener has heard ${hearing.changes.length}.`,
  );
  expectSame(hearing.changes, changes, "The changes that a listener has heard");
}
