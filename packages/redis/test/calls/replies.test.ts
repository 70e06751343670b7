import { expect, test } from "vitest";
import { numberOf, optionalTextOf, textOf } from "../../src/engine/replies.ts";
import { readEvents } from "../../src/stores/events.ts";
import { readRecord } from "../../src/stores/sessions.ts";

test("replies are the same whatever a client makes of them: texts, bytes, numbers as texts", () => {
  expect([textOf("a"), textOf(Buffer.from("日")), textOf(1), textOf(1n), textOf(null)]).toEqual([
    "a",
    "日",
    "1",
    "1",
    "",
  ]);
  expect([numberOf(7), numberOf("7"), numberOf(Buffer.from("7"))]).toEqual([7, 7, 7]);
  expect([null, undefined, false, "", Buffer.from("x")].map(optionalTextOf)).toEqual([
    undefined,
    undefined,
    undefined,
    "",
    "x",
  ]);
});

test("a record is read with what a session watches in the order in which it was added", () => {
  const fields = ["f", "{}", "wb", "2", "w", "11", "wa", "10", "r", "1", "h", "node 3 g 1", "v", "11"];
  expect(readRecord("id", fields)).toEqual({
    id: "id",
    facts: "{}",
    isReady: true,
    watched: ["b", "a", ""],
    holder: { node: "node", fence: 3, stream: "g 1" },
  });
  expect(readRecord("id", [])).toBeUndefined();
});

test("events are read from what the script replies", () => {
  const reply = [1, "2", 0, "5", '"five"', "6", Buffer.from('"six"')];
  const events = [
    { sequence: 5, data: '"five"' },
    { sequence: 6, data: '"six"' },
  ];
  expect(readEvents(reply)).toEqual({ events, isComplete: true, hasGap: false, reader: 2 });
});
