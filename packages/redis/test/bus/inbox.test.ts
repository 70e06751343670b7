import { expect, test } from "vitest";
import { Inbox } from "../../src/bus/inbox.ts";

const listener = (message: () => unknown) => ({ message, changes: () => undefined, missed: () => undefined });

test("a message that arrives again within a minute is handled once, and has the same reply", async () => {
  let now = 0;
  const inbox = new Inbox(() => now);
  let handled = 0;
  inbox.listeners.add(listener(() => (handled += 1)));
  const receive = (id: string, from = "a") => inbox.receive({ id, kind: "x", body: null }, from);

  expect([await receive("1"), await receive("1"), await receive("1", "b")]).toEqual(["1", "1", "2"]);
  now = 30_000;
  expect([await receive("2"), await receive("1")]).toEqual(["3", "1"]);
  now = 60_001;
  await receive("3");
  expect([await receive("2"), await receive("1")]).toEqual(["3", "5"]);
});

test("an inbox remembers a bounded number of messages, and a bounded size of replies", async () => {
  const inbox = new Inbox(() => 0);
  let handled = 0;
  inbox.listeners.add(listener(() => `${(handled += 1)}`));
  const first = { id: "first", kind: "x", body: null };
  await inbox.receive(first, "a");
  for (let id = 0; id < 10_000; id++) void inbox.receive({ id: String(id), kind: "x", body: null }, "a");
  expect(await inbox.receive(first, "a")).toBe('"10002"');

  const large = new Inbox(() => 0);
  large.listeners.add(listener(() => `${(handled += 1)}${"x".repeat(1024 * 1024)}`));
  const before = await large.receive(first, "a");
  for (let id = 0; id < 5; id++) await large.receive({ id: String(id), kind: "x", body: null }, "a");
  expect(await large.receive(first, "a")).not.toBe(before);
});
