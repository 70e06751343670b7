import { beforeAll, describe, expect, test } from "vitest";
import { runClient, type Outcome } from "./built-programs.ts";

describe("the show, without a terminal", () => {
  let show: Outcome;
  beforeAll(async () => {
    show = await runClient([]);
  }, 60_000);

  test("ends well", () => {
    expect(show.stderr).toBe("");
    expect(show.stdout).toMatch(/^All [\d,]+ checks held\./m);
    expect(show.code).toBe(0);
  });

  test("is plain text, line by line", () => {
    // oxlint-disable-next-line no-control-regex -- finding those is the purpose
    expect(show.stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F]/);
  });

  test("has dozens of calls in flight on each transport, answered in another order than sent", () => {
    for (const transport of ["stdio", "http", "websocket"]) {
      const lines = show.stdout.match(new RegExp(String.raw`^ +\d\.\d{3} s  ${transport} .*$`, "gm")) ?? [];
      expect(lines).toHaveLength(24);
      const ids = lines.map((line) => Number(/#(\d+)/.exec(line)?.[1]));
      expect(new Set(ids).size).toBe(24);
      expect(ids).not.toEqual(ids.toSorted((a, b) => a - b));
      const positions = lines.map((line) => Number(/sent +(\d+)/.exec(line)?.[1]));
      expect(positions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
    }
  });

  test("shows progress, a cancellation, explanations, errors, data and an answered question", () => {
    for (const transport of ["stdio", "http", "websocket"]) {
      expect(show.stdout).toMatch(new RegExp(`${transport} +to the end: 12 of 24 steps`));
      expect(show.stdout).toMatch(new RegExp(`${transport} +to the end: 24 of 24 steps, done`));
      expect(show.stdout).toMatch(new RegExp(`${transport} +given up: 8 of 24 steps, cancelled`));
    }
    expect(show.stdout).toMatch(/isError: Invalid arguments for tool "get-sum":\n +- a: .*\n +- b: /);
    expect(show.stdout).toContain("error -32602: Unknown tool: get-summ");
    expect(show.stdout).toContain("error -32601: Method not found: tools/juggle");
    expect(show.stdout).toContain("Chicago: temperature 36, Light rain / drizzle, humidity 82 %");
    expect(show.stdout).toContain('"python" was understood as: snake.');
  });

  test("ends with the books of each transport, which add up", () => {
    const rows = [...show.stdout.matchAll(/^ +(stdio|http|websocket) +(20\d\d-\d\d-\d\d) +(.+)$/gm)];
    expect(rows.map(([, name]) => name)).toEqual(["stdio", "http", "websocket"]);
    for (const [, , , numbers = ""] of rows) {
      const [calls = 0, matched = 0, outOfOrder, cancelled = 0, errors, speed] = numbers
        .split(/ +/)
        .map((cell) => Number(cell.replaceAll(",", "")));
      expect(matched + cancelled).toBe(calls);
      expect(calls).toBeGreaterThan(500);
      expect(outOfOrder).toBeGreaterThan(0);
      expect(cancelled).toBe(1);
      expect(errors).toBe(3);
      expect(speed).toBeGreaterThan(0);
    }
  });
});

test("the show goes on in a revision without questions and structured content", async () => {
  const { code, stdout } = await runClient(["--revision", "2024-11-05"]);
  expect(stdout).toContain("Revision 2024-11-05 knows text only.");
  expect(stdout).toContain("(nobody could be asked)");
  expect(stdout).toMatch(/^All [\d,]+ checks held\./m);
  expect(code).toBe(0);
}, 60_000);

test("the show fails if a single answer is wrong", async () => {
  const fixture = new URL("fixtures/use-wrong-sums.mjs", import.meta.url).href;
  const { code, stdout } = await runClient([], ["--import", fixture]);
  expect(stdout).toMatch(/^\d+ of [\d,]+ checks failed:$/m);
  expect(stdout).toContain(
    'stdio: the sum of 13 and 0.5: expected "The sum of 13 and 0.5 is 13.5.", got "The sum of 13 and 0.5 is unlucky."',
  );
  expect(stdout).not.toContain("the sum of 14 and 0.5");
  expect(code).toBe(1);
}, 60_000);
