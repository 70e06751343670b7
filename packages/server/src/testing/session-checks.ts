import type { SessionRecord, SessionStore } from "../cluster/sessions.ts";
import { expect, expectSame, LONG, ROOM, type ClusterCheck, type Trial } from "./trial.ts";

/** Text that engines have changed before: quotes, control characters as JSON escapes them, and characters of 2 to 4 bytes. */
export const TEXT: string = JSON.stringify({
  text: 'quotes " and \\ , NUL \u0000, \u2028 Gr\u00fc\u00dfe \u65e5\u672c\u8a9e \ud83d\ude80 half \ud83d, {braces} and $1',
});

/** Milliseconds after which something ends in a check that waits for that. */
export const SHORT = 1000;

/** The largest facts of a session in bytes: a part of the contract. */
const MAX_FACTS = 16 * 1024;

/** The checks of sessions. */
export const sessionChecks: readonly ClusterCheck[] = [
  {
    name: "A session is found at every node, as it was created.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const id = trial.name();
      await one.sessions.create({ id, facts: TEXT, client: "somebody" }, LONG, ROOM);
      for (const { sessions } of [one, other]) {
        const found = await sessions.get(id);
        const { facts, client, isReady, logLevel, watched, holder } = expectSession(found);
        expectSame({ id: found?.id, facts, client }, { id, facts: TEXT, client: "somebody" }, "A new session");
        expectSame({ isReady, watched }, { isReady: false, watched: [] }, "The state of a new session");
        expect(logLevel === undefined && holder === undefined, "A new session has no log level and no holder.");
      }
      const anonymous = expectSession(await other.sessions.get(await trial.createSession(one)));
      expect(anonymous.client === undefined, "A session that was created without a client has none.");
    },
  },
  {
    name: "A session that never was is not found, and neither a touch, a change nor a claim creates it.",
    async run(trial) {
      const { sessions } = await trial.connect();
      const id = trial.name();
      await expectNoSession(trial, sessions, id);
      expect(!(await sessions.end(id)), "`end` says that it has ended a session that never was.");
    },
  },
  {
    name: "Creating a session again with the same facts changes nothing of it, and counts it once.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const session = { id: trial.name(), facts: "{}", client: trial.name() };
      const room = { ...ROOM, maxPerClient: 1 };
      await one.sessions.create(session, LONG, room);
      await one.sessions.update(session.id, { isReady: true, logLevel: "debug", watch: "file:///a" });
      for (const { sessions } of [one, other]) {
        const outcome = await sessions.create(session, LONG, room);
        expect(outcome === "created", `Creating the same session again gave ${JSON.stringify(outcome)}.`);
      }
      const { isReady, logLevel, watched } = expectSession(await other.sessions.get(session.id));
      const expected = { isReady: true, logLevel: "debug", watched: ["file:///a"] };
      expectSame({ isReady, logLevel, watched }, expected, "A session that was created twice");
      await one.sessions.end(session.id);
      const next = await one.sessions.create({ ...session, id: trial.name() }, LONG, room);
      expect(next === "created", "A session that was created twice counts twice: its end does not make room.");
    },
  },
  {
    name: "A session ends after its time, by the clock of the engine.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const id = await trial.createSession(one, 100);
      await trial.until(
        async () => (await other.sessions.get(id)) === undefined,
        () => "A session for 100 milliseconds did not end.",
      );
      await expectNoSession(trial, one.sessions, id);
    },
  },
  {
    name: "Touching a session keeps it for a time from then on.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const id = await trial.createSession(one, SHORT);
      const isThere = await other.sessions.touch(id, LONG);
      expect(isThere, "`touch` returned false for a session that is there.");
      const later = await trial.createSession(one, SHORT);
      await trial.until(
        async () => (await one.sessions.get(later)) === undefined,
        () => "A session did not end.",
      );
      expect((await one.sessions.get(id)) !== undefined, "A session ended at its first time, although it was touched.");
    },
  },
  {
    name: "Changes of a session apply at all nodes, and applying one twice changes nothing.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const id = await trial.createSession(one);
      const uris = ["file:///b", "file:///a", 'file:///"{c}"', "file:///\u65e5"];
      for (const watch of [...uris, ...uris]) {
        expect(await one.sessions.update(id, { watch }), "`update` returned false for a session that is there.");
      }
      await other.sessions.update(id, { logLevel: "debug" });
      await other.sessions.update(id, { isReady: true, logLevel: "error", unwatch: "file:///a" });
      await one.sessions.update(id, { unwatch: "file:///a" });
      await one.sessions.update(id, {});
      const { isReady, logLevel, watched } = expectSession(await one.sessions.get(id));
      const left = uris.filter((uri) => uri !== "file:///a");
      expectSame(
        { isReady, logLevel, watched },
        { isReady: true, logLevel: "error", watched: left },
        "A changed session",
      );
    },
  },
  {
    name: "Changes of several nodes at the same moment all apply.",
    async run(trial) {
      const nodes = await trial.connectThree();
      const id = await trial.createSession(nodes[0]);
      const uris = Array.from({ length: 30 }, (_, index) => `file:///${String(index).padStart(2, "0")}`);
      await trial.atOnce(nodes, 30, ({ sessions }, index) =>
        sessions.update(id, index === 7 ? { watch: uris[index], isReady: true } : { watch: uris[index] }),
      );
      const { isReady, watched } = expectSession(await nodes[2].sessions.get(id));
      expect(isReady, "A change was lost because another was made at the same moment: `isReady` is false.");
      expectSame(watched.toSorted(), uris, "URIs that several nodes have added");
    },
  },
  {
    name: "Each claim of a session gets a greater fence than all before, and names the holder before.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const id = await trial.createSession(one);
      const first = await one.sessions.claim(id, { node: one.node, stream: "g1" });
      expect(first !== undefined, "`claim` did not find a session that is there.");
      expect(first.previous === undefined, "The first claim of a session names a holder before.");
      const second = await other.sessions.claim(id, { node: other.node, stream: "g2" });
      expect(second !== undefined && second.fence > first.fence, "The fence of a second claim is not greater.");
      const previous = { node: one.node, stream: "g1", fence: first.fence };
      expectHolder(second.previous, previous, "The holder before a second claim");
      const { holder } = expectSession(await one.sessions.get(id));
      expectHolder(holder, { node: other.node, stream: "g2", fence: second.fence }, "The holder");
      await other.sessions.release(id, second.fence);
      const third = await one.sessions.claim(id, { node: one.node, stream: "g3" });
      expect(third !== undefined && third.fence > second.fence, "After a release, fences do not go on to grow.");
      expect(third.previous === undefined, "A claim names a holder before that was released.");
    },
  },
  {
    name: "Of several claims at the same moment, the one with the greatest fence holds the session.",
    async run(trial) {
      const nodes = await trial.connectThree();
      const id = await trial.createSession(nodes[0]);
      const claimed = await trial.atOnce(nodes, 12, ({ node, sessions }, index) =>
        sessions.claim(id, { node, stream: `g${index}` }),
      );
      const fences = claimed.map((claim) => claim?.fence ?? 0);
      expect(new Set(fences).size === fences.length, "Two claims at the same moment have the same fence.");
      const latest = fences.indexOf(Math.max(...fences));
      const { holder } = expectSession(await nodes[1].sessions.get(id));
      const expected = { node: nodes[latest % 3]?.node ?? "", stream: `g${latest}`, fence: fences[latest] ?? 0 };
      expectHolder(holder, expected, "The holder");
      const previous = claimed.map((claim) => claim?.previous?.fence).filter((fence) => fence !== undefined);
      expect(new Set(previous).size === fences.length - 1, "Claims at the same moment do not each follow on another.");
    },
  },
  {
    name: "Only the fence that holds a session releases it.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const id = await trial.createSession(one);
      const first = await one.sessions.claim(id, { node: one.node, stream: "g1" });
      const second = await other.sessions.claim(id, { node: other.node, stream: "g2" });
      await one.sessions.release(id, first?.fence ?? 0);
      const { holder } = expectSession(await one.sessions.get(id));
      expect(holder?.fence === second?.fence, "A holder that was replaced has released the one after it.");
      await one.sessions.release(id, second?.fence ?? 0);
      await one.sessions.release(id, second?.fence ?? 0);
      const released = expectSession(await other.sessions.get(id));
      expect(released.holder === undefined, "A holder that was released is still there.");
    },
  },
  {
    name: "Of several callers that end a session, exactly one gets true.",
    async run(trial) {
      const nodes = await trial.connectThree();
      const id = await trial.createSession(nodes[0]);
      const outcomes = await trial.atOnce(nodes, 9, ({ sessions }) => sessions.end(id));
      const { length } = outcomes.filter(Boolean);
      expect(length === 1, `Nine callers ended a session at the same moment, and ${length} of them got true.`);
      await expectNoSession(trial, nodes[1].sessions, id);
    },
  },
  {
    name: "The end of a session deletes the events of its streams, and of no others.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const [id, second] = [await trial.createSession(one), await trial.createSession(one)];
      const keep = { ttl: LONG, maxBytes: 10_000 };
      for (const stream of ["p1", "p2"]) await one.events.append(id, stream, [{ sequence: 1, data: "1" }], keep);
      await one.events.append(second, "p1", [{ sequence: 1, data: "1" }], keep);
      await other.sessions.end(id);
      for (const stream of ["p1", "p2"]) {
        expect(
          (await one.events.read(id, stream, 0, 10)) === undefined,
          "Events were kept after their session had ended.",
        );
      }
      expect(
        (await one.events.read(second, "p1", 0, 10)) !== undefined,
        "The end of a session deleted events of another.",
      );
    },
  },
  {
    name: "A client has no more sessions than it may, and one that ends makes room.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const client = trial.name();
      const room = { ...ROOM, maxPerClient: 2 };
      const create = (session: { readonly id: string; readonly client?: string }, ttl = LONG) =>
        one.sessions.create({ facts: "{}", ...session }, ttl, room);
      const first = trial.name();
      for (const id of [first, trial.name()]) await create({ id, client });
      const refused = await other.sessions.create({ id: trial.name(), facts: "{}", client }, LONG, room);
      expect(refused === "fullOfClient", `A third session of a client that may have two: ${JSON.stringify(refused)}.`);
      expectSame(await create({ id: trial.name(), client: trial.name() }), "created", "A session of another client");
      expectSame(await create({ id: trial.name() }), "created", "A session that counts for no client");
      await other.sessions.end(first);
      expectSame(await create({ id: trial.name(), client }, 100), "created", "A session after another has ended");
      await trial.until(
        async () => (await create({ id: trial.name(), client })) === "created",
        () => "A session whose time has ended still counts for its client.",
      );
    },
  },
  {
    name: "There are no more sessions than there may be.",
    async run(trial) {
      const { sessions } = await trial.connect();
      await sessions.create({ id: trial.name(), facts: "{}" }, LONG, ROOM);
      const id = trial.name();
      const refused = await sessions.create({ id, facts: "{}" }, LONG, { ...ROOM, max: 1 });
      expect(refused === "full", `A second session where there may be one: ${JSON.stringify(refused)}.`);
      expect((await sessions.get(id)) === undefined, "A session was refused with `full`, and kept nevertheless.");
    },
  },
  {
    name: "Facts of 16 KiB are kept, and larger ones are refused as too large.",
    async run(trial) {
      const { sessions } = await trial.connect();
      const id = trial.name();
      const facts = "x".repeat(MAX_FACTS);
      await sessions.create({ id, facts }, LONG, ROOM);
      expect(expectSession(await sessions.get(id)).facts === facts, "Facts of 16 KiB came back changed.");
      const large = sessions.create({ id: trial.name(), facts: `${facts}x` }, LONG, ROOM);
      await trial.expectRefusal(large, ["TOO_LARGE"], "A session with facts of more than 16 KiB");
    },
  },
  {
    name: "A session survives the node that has created it.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const id = await trial.createSession(one);
      await trial.settle(one.close(), "`close` of a node did not resolve in time.");
      expect((await other.sessions.get(id)) !== undefined, "A session ended with the node that had created it.");
    },
  },
];

async function expectNoSession(trial: Trial, sessions: SessionStore, id: string): Promise<void> {
  expect((await sessions.get(id)) === undefined, "`get` found a session that is not there.");
  expect(!(await sessions.touch(id, LONG)), "`touch` returned true for a session that is not there.");
  expect(!(await sessions.update(id, { isReady: true })), "`update` returned true for a session that is not there.");
  const claimed = await sessions.claim(id, { node: trial.name(), stream: "g1" });
  expect(claimed === undefined, "`claim` succeeded on a session that is not there.");
  await sessions.release(id, 1);
  expect(
    (await sessions.get(id)) === undefined,
    "A session came into being by a touch, a change, a claim or a release.",
  );
}

function expectSession(found: SessionRecord | undefined): SessionRecord {
  expect(found !== undefined, "A session was not found, although it is there.");
  return found;
}

function expectHolder(
  actual: SessionRecord["holder"],
  expected: NonNullable<SessionRecord["holder"]>,
  what: string,
): void {
  const { node, stream, fence } = actual ?? {};
  expectSame({ node, stream, fence }, { node: expected.node, stream: expected.stream, fence: expected.fence }, what);
}
