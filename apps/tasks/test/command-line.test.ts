import { expect, test } from "vitest";
import { readCommandLine } from "../src/command-line.ts";

test("without arguments, every store has a thousand tasks and is measured", () => {
  expect(readCommandLine([])).toEqual({
    isHelp: false,
    stores: ["memory", "files", "redis", "postgres"],
    tasks: 1000,
    lease: 2000,
    isMeasured: true,
    isPublished: false,
  });
});

test("the short form has few tasks and measures nothing, unless others are asked for", () => {
  expect(readCommandLine(["--quick"])).toMatchObject({ tasks: 60, lease: 1500, isMeasured: false });
  expect(readCommandLine(["--quick", "--tasks", "70", "--write"])).toMatchObject({ tasks: 70, isPublished: true });
});

test("arguments that make no sense are refused", () => {
  expect(() => readCommandLine(["--store", "paper"])).toThrow(
    '--store takes one of memory, files, redis, postgres, not "paper".',
  );
  expect(() => readCommandLine(["--tasks", "9"])).toThrow("--tasks takes a whole number of at least 10");
  expect(() => readCommandLine(["--lease", "soon"])).toThrow("--lease takes a whole number");
  expect(() => readCommandLine(["--unknown"])).toThrow("'--unknown'");
});
