import { describe, expect, test } from "vitest";
import { matchesAny, readCommandLine } from "../src/command-line.ts";
import { makePlan } from "../src/plan.ts";

describe("the command line", () => {
  test("splits lists and reads numbers", () => {
    expect(readCommandLine(["--only", "toolwire,v2", "--rounds", "7", "--json", "out.json"])).toMatchObject({
      only: ["toolwire", "v2"],
      rounds: 7,
      jsonFile: "out.json",
      scenarios: undefined,
    });
  });

  test.each([["--rounds=0"], ["--rounds=some"], ["--unknown"]])("refuses %s", (argument) => {
    expect(() => readCommandLine([argument])).toThrow(argument.split("=")[0]);
  });
});

test("thorough rounds are longer, and as many as asked for", () => {
  const usual = makePlan(readCommandLine([])).effort;
  const thorough = makePlan(readCommandLine(["--thorough"])).effort;
  expect(thorough.windowMs).toBeGreaterThan(usual.windowMs);
  expect(makePlan(readCommandLine(["--thorough", "--rounds", "3"])).effort).toEqual({ ...thorough, rounds: 3 });
});

test("patterns match whole ids, and only * is special", () => {
  expect(matchesAny("stdio-modern-echo-w64", ["http-*", "stdio-*-w64"])).toBe(true);
  expect(matchesAny("stdio-modern-echo-w64", ["stdio"])).toBe(false);
  expect(matchesAny("a.b", ["a+b", "axb"])).toBe(false);
});

describe("the plan", () => {
  const plan = (...args: string[]): ReturnType<typeof makePlan> => makePlan(readCommandLine(args));

  test("holds everything with a target and the published variants by default, and is fit to be published", () => {
    const { servers, clients, others, isComplete } = plan();
    expect(servers.every(({ target, isPublished }) => target !== undefined || isPublished === true)).toBe(true);
    expect(clients.every(({ target }) => target !== undefined)).toBe(true);
    expect(others).toContain("startup");
    expect(isComplete).toBe(true);
  });

  test("always keeps the baseline", () => {
    const { contenders, isComplete } = plan("--only", "toolwire");
    expect(contenders.map(({ name }) => name)).toEqual(["toolwire", "raw"]);
    expect(isComplete).toBe(false);
  });

  test("measures another checkout in turn with this one, in the rows that both have", () => {
    const { contenders, clientContenders, servers, isComplete } = plan("--only", "toolwire", "--compare", "../before");
    expect(contenders.map(({ name }) => name)).toEqual(["toolwire", "before", "raw"]);
    expect(clientContenders.map(({ name }) => name)).toEqual(["toolwire", "before", "raw"]);
    expect(servers.some(({ wiring }) => wiring.variant !== undefined)).toBe(false);
    expect(isComplete).toBe(false);
  });

  test("refuses to measure nothing", () => {
    expect(() => plan("--scenario", "nonsense")).toThrow("--list");
  });
});
