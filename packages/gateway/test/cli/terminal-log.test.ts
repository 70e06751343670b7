import { expect, test } from "vitest";
import { createPaint } from "../../src/cli/serving/paint.ts";
import { createTerminalLog } from "../../src/cli/serving/terminal-log.ts";
import { makeRecord } from "../log/records.ts";

const LEVELS = ["debug", "info", "warning", "error"] as const;

/** A log in which times of the day are left out, and its lines. */
function open(least: (typeof LEVELS)[number] = "info") {
  const lines: string[] = [];
  const log = createTerminalLog(
    (line) => lines.push(line.replace(/^\d\d:\d\d:\d\d {2}/, "")),
    least,
    createPaint(false),
  );
  return { log, lines };
}

test("A call is a line with server, tool, outcome, time and id, in columns", () => {
  const { log, lines } = open();
  log.call(makeRecord({ id: "1", durationMs: 0.04 }));
  log.call(makeRecord({ id: "2", durationMs: 99.96 }));
  log.call(makeRecord({ id: "3", durationMs: 1234.5, outcome: "tool-error", error: "Error: a\n  b\nc\nd" }));
  log.call(makeRecord({ id: "4", server: "s", tool: "t", durationMs: 100 }));
  expect(lines).toEqual([
    "weather/get_weather  ok                    0.0 ms  1",
    "weather/get_weather  ok                  100.0 ms  2",
    "weather/get_weather  tool-error           1235 ms  3\n          Error: a b c",
    "s/t                  ok                    100 ms  4",
  ]);
});

test("A name is cut to no length, but makes no column wider than forty characters, and writes nothing that a terminal acts on", () => {
  const { log, lines } = open();
  log.call(makeRecord({ id: "1", tool: "x".repeat(60) }));
  log.call(makeRecord({ id: "2", tool: "y\u001B[31m" }));
  expect(lines[0]).toContain(`weather/${"x".repeat(60)}  ok`);
  expect(lines[1]?.indexOf("  ok ")).toBe(40);
  expect(lines[1]).not.toContain("\u001B");
});

test("Of an error, three lines and four hundred characters are shown", () => {
  const { log, lines } = open();
  log.call(makeRecord({ error: "z".repeat(400) }));
  log.call(makeRecord({ error: "z".repeat(401) }));
  expect(lines[0]).toMatch(/\n {10}z{400}$/);
  expect(lines[1]).toMatch(/\n {10}z{400} …$/);
});

test("Calls are of interest to who asks for all, and what went wrong to who asks for less", () => {
  for (const [least, expected] of [
    ["debug", 5],
    ["info", 4],
    ["warning", 2],
    ["error", 1],
  ] as const) {
    const { log, lines } = open(least);
    log.call(makeRecord());
    for (const level of LEVELS) log.event({ level, message: `It is ${level}.` });
    expect(lines).toHaveLength(expected);
    expect(lines.at(-1)).toBe("error  It is error.");
  }
});

test("An event names its server, and the reason if its words do not hold it already", () => {
  const { log, lines } = open();
  log.event({ level: "info", message: "It began.", server: "weather" });
  log.event({ level: "warning", message: "It failed.", server: "weather", error: "TypeError: no route\n    at x" });
  log.event({ level: "error", message: "It failed: no route.", error: "TypeError: no route\n    at x" });
  expect(lines).toEqual([
    "weather: It began.",
    "warning  weather: It failed. (no route)",
    "error  It failed: no route.",
  ]);
});
