import { expect, test } from "vitest";
import { readCommandLine } from "../src/command-line.ts";

test("without arguments, all engines are run with two, four and eight processes, 10,000 calls of each era", () => {
  expect(readCommandLine([])).toEqual({
    isHelp: false,
    engines: ["workers", "redis", "postgres"],
    nodes: [2, 4, 8],
    calls: 10_000,
    seed: 1,
    faults: "all",
    isQuick: false,
    json: undefined,
    isPublished: false,
  });
});

test("the short form has few calls and two processes, unless others are asked for", () => {
  expect(readCommandLine(["--quick"])).toMatchObject({ nodes: [2], calls: 300, isQuick: true });
  expect(readCommandLine(["--quick", "--nodes", "3"])).toMatchObject({ nodes: [3], calls: 300 });
});

test("everything can be chosen", () => {
  const args = ["--engine", "redis,postgres", "--nodes", "2,4", "--calls", "200", "--seed", "7", "--faults", "none"];
  expect(readCommandLine([...args, "--json", "out.json"])).toMatchObject({
    engines: ["redis", "postgres"],
    nodes: [2, 4],
    calls: 200,
    seed: 7,
    faults: "none",
    json: "out.json",
  });
});

test.each([
  [["--engine", "nats"], /--engine takes one of workers, redis, postgres, not "nats"/],
  [["--nodes", "1"], /--nodes takes a whole number from 2 to 16, not "1"/],
  [["--nodes", "2,"], /--nodes takes a whole number from 2 to 16, not ""/],
  [["--calls", "many"], /--calls takes a whole number of at least 100, not "many"/],
  [["--faults", "some"], /--faults takes one of all, streams, none, not "some"/],
  [["--machines", "2"], /--machines/],
  [["redis"], /redis/],
])("refuses %j", (args, message) => {
  expect(() => readCommandLine(args)).toThrow(message);
});
