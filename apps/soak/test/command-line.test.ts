import { expect, test } from "vitest";
import { CELLS } from "../src/cells.ts";
import { readCommandLine } from "../src/command-line.ts";

test("the command line runs everything for a minute unless told otherwise", () => {
  expect(readCommandLine([])).toEqual({ isHelp: false, seconds: 60, seed: 1, cells: CELLS, isPublished: false });
});

test("the command line takes a length, a seed and a binding", () => {
  const { seconds, seed, cells } = readCommandLine(["--seconds", "600", "--seed", "7", "--only", "http"]);

  expect({ seconds, seed }).toEqual({ seconds: 600, seed: 7 });
  expect(cells.map(({ era, variant }) => [era, variant])).toEqual([
    ["modern", undefined],
    ["legacy", "sessions"],
    ["legacy", "no sessions"],
  ]);
});

test.each([["--seconds=1"], ["--seconds="], ["--seed=1.5"], ["--only=pigeon"], ["--unknown"]])(
  "the command line refuses %s",
  (argument) => {
    expect(() => readCommandLine([argument])).toThrow(argument.split("=")[0]);
  },
);

test("the command line does not publish a part of the run as the whole", () => {
  expect(() => readCommandLine(["--write", "--only", "stdio"])).toThrow("--write");
});
