import fc from "fast-check";
import { expect, test } from "vitest";
import { TURN_MESSAGES, TurnLimit } from "../../src/channels/turn-limit.ts";

/** A connection whose turns of the event loop are made by the test. */
class Turns {
  readonly delivered: string[] = [];
  isReading = true;
  /** How much was delivered in this turn. */
  count = 0;
  readonly #next: (() => void)[] = [];
  readonly limit = new TurnLimit<string>({
    deliver: (text) => {
      this.delivered.push(text);
      this.count += 1;
    },
    pause: (next) => {
      this.isReading = false;
      this.#next.push(next);
      return true;
    },
    resume: () => {
      this.isReading = true;
    },
  });

  /** Begins the next turn. Returns whether anything was to be done in it. */
  next(): boolean {
    this.count = 0;
    const due = this.#next.splice(0);
    for (const work of due) work();
    return due.length > 0;
  }
}

test("delivers everything in order and no more than the limit in a turn, whatever comes at once", () => {
  const burst = fc.array(fc.constantFrom("text", "work"), { maxLength: 5 * TURN_MESSAGES });
  fc.assert(
    fc.property(fc.array(burst, { maxLength: 6 }), (bursts) => {
      const turns = new Turns();
      const sent: string[] = [];
      for (const items of bursts) {
        for (const kind of items) {
          const text = `${kind} ${sent.length}`;
          sent.push(text);
          if (kind === "text") turns.limit.deliver(text);
          else turns.limit.after(() => turns.delivered.push(text));
        }
        expect(turns.count).toBeLessThanOrEqual(TURN_MESSAGES);
        turns.next();
        expect(turns.count).toBeLessThanOrEqual(TURN_MESSAGES);
      }
      while (turns.next()) expect(turns.count).toBeLessThanOrEqual(TURN_MESSAGES);
      expect(turns.delivered).toEqual(sent);
      expect(turns.isReading).toBe(true);
    }),
  );
});

test("pauses after many bytes, too", () => {
  const turns = new Turns();
  turns.limit.count(200_000);
  expect(turns.isReading).toBe(true);
  turns.limit.count(200_000);
  expect(turns.isReading).toBe(false);
  turns.next();
  expect(turns.isReading).toBe(true);
});

test("goes on with the others if one fails", () => {
  const turns = new Turns();
  for (let count = 0; count < TURN_MESSAGES; count += 1) turns.limit.deliver("first");
  turns.limit.after(() => {
    throw new Error("failed");
  });
  turns.limit.deliver("last");
  expect(() => turns.next()).toThrow("failed");
  while (turns.next());
  expect(turns.delivered.at(-1)).toBe("last");
  expect(turns.isReading).toBe(true);
});

test("delivers everything at once where the platform has no turns", () => {
  const delivered: string[] = [];
  const limit = new TurnLimit<string>({ deliver: (text) => delivered.push(text), pause: () => false, resume() {} });
  for (let count = 0; count < 1000; count += 1) limit.deliver("text");
  expect(delivered).toHaveLength(1000);
});
