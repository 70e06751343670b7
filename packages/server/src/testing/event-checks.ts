import type { EventLog, LoggedEvents } from "../cluster/events.ts";
import { SHORT, TEXT } from "./session-checks.ts";
import { expect, expectSame, LONG, type ClusterCheck } from "./trial.ts";

const KEEP = { ttl: LONG, maxBytes: 100_000 };

/** The checks of the log of events. */
export const eventChecks: readonly ClusterCheck[] = [
  {
    name: "Events are read at every node, in order and from a position on.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const session = await trial.createSession(one);
      await one.events.append(session, "p1", numbered(1, 3), KEEP);
      await one.events.append(session, "p1", numbered(4, 5), KEEP);
      for (const { events } of [one, other]) {
        expectEvents(await read(events, session, "p1", 0), [1, 2, 3, 4, 5]);
        expectEvents(await read(events, session, "p1", 3), [4, 5]);
        expectEvents(await read(events, session, "p1", 1, 2), [2, 3]);
        const none = await read(events, session, "p1", 5);
        expectEvents(none, []);
        expect(!none.isComplete && !none.hasGap && none.reader === 0, "Nothing has ended, was dropped or taken over.");
      }
    },
  },
  {
    name: "A stream of which nothing is kept is not found.",
    async run(trial) {
      const { events } = await trial.connect();
      expect((await events.read(trial.name(), "p1", 0, 10)) === undefined, "`read` found a stream that never was.");
    },
  },
  {
    name: "The text of an event comes back unchanged.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const session = await trial.createSession(one);
      await one.events.append(session, "p1", [{ sequence: 1, data: TEXT }], KEEP);
      const { events } = await read(other.events, session, "p1", 0);
      expect(events[0]?.data === TEXT, "The text of an event came back with other characters.");
    },
  },
  {
    name: "Streams of one session, and streams of the same key in two sessions, are separate.",
    async run(trial) {
      const { events } = await trial.connect();
      const [one, other] = [trial.name(), trial.name()];
      await events.append(one, "p1", numbered(1, 1), KEEP);
      await events.append(one, "p2", numbered(1, 2), KEEP);
      await events.append(other, "p1", numbered(1, 3), KEEP);
      expectEvents(await read(events, one, "p1", 0), [1]);
      expectEvents(await read(events, one, "p2", 0), [1, 2]);
      expectEvents(await read(events, other, "p1", 0), [1, 2, 3]);
    },
  },
  {
    name: "An event whose sequence is not above the last one is dropped.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const session = await trial.createSession(one);
      await one.events.append(session, "p1", numbered(1, 3), KEEP);
      const again = numbered(2, 4).map(({ sequence }) => ({ sequence, data: `"again ${sequence}"` }));
      await one.events.append(session, "p1", again, KEEP);
      await one.events.append(session, "p1", numbered(1, 3), KEEP);
      const { events } = await read(other.events, session, "p1", 0);
      const data = events.map((event) => event.data);
      expectSame(
        data,
        ['"event 1"', '"event 2"', '"event 3"', '"again 4"'],
        "Events of which some were appended twice",
      );
    },
  },
  {
    name: "A stream is complete once its last event was read.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const session = await trial.createSession(one);
      await one.events.append(session, "p1", numbered(1, 2), KEEP);
      expect(!(await read(other.events, session, "p1", 0)).isComplete, "A stream that goes on is complete.");
      for (let times = 0; times < 2; times++) {
        await one.events.append(session, "p1", numbered(3, 4), { ...KEEP, isLast: true });
        const all = await read(other.events, session, "p1", 0);
        expectEvents(all, [1, 2, 3, 4]);
        expect(all.isComplete, "A stream is not complete, although its last event was read.");
        expect(
          !(await read(other.events, session, "p1", 0, 3)).isComplete,
          "A stream is complete before its last event.",
        );
        const after = await read(other.events, session, "p1", 4);
        expectEvents(after, []);
        expect(after.isComplete, "A stream is not complete, although its last event was read before.");
      }
    },
  },
  {
    name: "A stream may begin after the first event: those before are missing for readers from an earlier position.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const session = await trial.createSession(one);
      await one.events.append(session, "p1", numbered(5, 6), KEEP);
      const behind = await read(other.events, session, "p1", 3);
      expect(behind.hasGap, "Event 4 was never appended, and a reader from 3 on is not told of a gap.");
      const following = await read(other.events, session, "p1", 4);
      expectEvents(following, [5, 6]);
      expect(!following.hasGap, "A reader that misses nothing is told of a gap.");
    },
  },
  {
    name: "At most `maxBytes` of a stream are kept: the oldest events are dropped first, the last one is kept.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const session = await trial.createSession(one);
      const data = JSON.stringify("x".repeat(98));
      const limited = { ttl: LONG, maxBytes: 350 };
      for (let sequence = 1; sequence <= 10; sequence++) {
        await one.events.append(session, "p1", [{ sequence, data }], limited);
      }
      const kept = await read(other.events, session, "p1", 0);
      const { length } = kept.events;
      expect(length * 100 <= 350, `A stream of at most 350 bytes has kept ${length} events of 100 bytes.`);
      expect(length > 0, "The last event of a stream was not kept.");
      expectEvents(
        kept,
        numbered(11 - length, 10).map(({ sequence }) => sequence),
      );
      expect(kept.hasGap, "Events were dropped, and the reader is not told of a gap.");
      const following = await read(other.events, session, "p1", 10 - length);
      expect(!following.hasGap, "A reader that misses nothing is told of a gap.");
      const large = { sequence: 11, data: JSON.stringify("y".repeat(1000)) };
      await one.events.append(session, "p1", [large], limited);
      expectEvents(await read(other.events, session, "p1", 0), [11]);
    },
  },
  {
    name: "A stream ends after its time, and each append keeps it for a time from then on.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const session = await trial.createSession(one);
      const brief = { ...KEEP, ttl: SHORT };
      await one.events.append(session, "kept", numbered(1, 1), brief);
      await one.events.append(session, "kept", numbered(2, 2), KEEP);
      await one.events.append(session, "brief", numbered(1, 1), brief);
      await trial.until(
        async () => (await other.events.read(session, "brief", 0, 10)) === undefined,
        () => `A stream that is kept for ${SHORT} milliseconds did not end.`,
      );
      expectEvents(await read(other.events, session, "kept", 0), [1, 2]);
    },
  },
  {
    name: "Each reader that takes a stream over has a greater number than all before, and readers see the latest.",
    async run(trial) {
      const nodes = await trial.connectThree();
      const session = await trial.createSession(nodes[0]);
      const first = await nodes[0].events.takeOver(session, "p1", LONG);
      expect(first > 0, "The first reader of a stream has no number above 0.");
      const found = await read(nodes[1].events, session, "p1", 0);
      expectEvents(found, []);
      expect(found.reader === first, "`read` does not tell who has taken a stream over before it had events.");
      await nodes[0].events.append(session, "p1", numbered(1, 2), KEEP);
      const numbers = await trial.atOnce(nodes, 9, ({ events }) => events.takeOver(session, "p1", LONG));
      expect(
        new Set(numbers).size === 9,
        "Two readers that take a stream over at the same moment have the same number.",
      );
      expect(
        numbers.every((number) => number > first),
        "A reader has no greater number than one before.",
      );
      const last = await read(nodes[2].events, session, "p1", 0);
      expectEvents(last, [1, 2]);
      expect(last.reader === Math.max(...numbers), "`read` does not tell the number of the latest reader.");
    },
  },
  {
    name: "A stream that is forgotten is gone, and forgetting it again is no error.",
    async run(trial) {
      const [one, other] = await trial.connectTwo();
      const session = await trial.createSession(one);
      for (const stream of ["p1", "p2"]) await one.events.append(session, stream, numbered(1, 2), KEEP);
      for (let times = 0; times < 2; times++) await other.events.forget(session, "p1");
      expect(
        (await one.events.read(session, "p1", 0, 10)) === undefined,
        "A stream that was forgotten is still there.",
      );
      expectEvents(await read(one.events, session, "p2", 0), [1, 2]);
    },
  },
];

function numbered(first: number, last: number): { readonly sequence: number; readonly data: string }[] {
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    sequence: first + index,
    data: `"event ${first + index}"`,
  }));
}

async function read(log: EventLog, session: string, stream: string, after: number, limit = 100): Promise<LoggedEvents> {
  const found = await log.read(session, stream, after, limit);
  expect(found !== undefined, "A stream was not found, although something of it is kept.");
  return found;
}

function expectEvents({ events }: LoggedEvents, sequences: readonly number[]): void {
  const found = events.map(({ sequence }) => sequence);
  expectSame(found, sequences, "The sequences of the events of a stream");
}
