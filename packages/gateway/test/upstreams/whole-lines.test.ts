import { expect, test } from "vitest";
import { inWholeLines } from "../../src/upstreams/whole-lines.ts";

test("Pieces of a text are handed on as whole lines, however they are cut", () => {
  const text = "one canary\ntwo\r\n\nthree\n";
  for (let first = 0; first <= text.length; first += 1) {
    for (let second = first; second <= text.length; second += 1) {
      const taken: string[] = [];
      const take = inWholeLines((lines) => taken.push(lines));
      for (const piece of [text.slice(0, first), text.slice(first, second), text.slice(second)]) take(piece);
      expect(taken.join("\n").replaceAll("\r", "").replaceAll(/\n+/g, "\n")).toBe("one canary\ntwo\nthree");
    }
  }
});

test("A line without an end is waited for until it has 64 Ki characters", () => {
  const taken: number[] = [];
  const take = inWholeLines((lines) => taken.push(lines.length));
  take("x".repeat(64 * 1024));
  expect(taken).toEqual([]);
  take("x");
  expect(taken).toEqual([64 * 1024 + 1]);
});
