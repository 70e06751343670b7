import { describe, expect, it } from "vitest";
import { createMemoryEngine } from "../../src/cluster/index.ts";
import { clusterContract, ContractViolation } from "../../src/testing/index.ts";
import { BROKEN, createBrokenEngine } from "./broken-engines.ts";

/** Long enough for what ends after a second. */
const LIMITS = { maxMessageBytes: 100_000, maxChanges: 10_000, timeout: 2500 };

describe.concurrent("clusterContract catches an engine that", () => {
  it.each(BROKEN)("%s (%s)", async (_what, rule, breaks) => {
    const checks = clusterContract({ ...createBrokenEngine(breaks), ...LIMITS });
    const meant = checks.filter(({ name }) => name.startsWith(rule));
    expect(meant).toHaveLength(1);
    const problem = await meant[0]?.run().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(problem).toBeInstanceOf(ContractViolation);
    expect(String(problem)).not.toContain("A method of the engine did not settle");
  });
});

describe("clusterContract", () => {
  it("has a broken engine for each of its rules", () => {
    const checks = clusterContract({ connect: () => createMemoryEngine().connect(), ...LIMITS });
    const rules = BROKEN.map(([, rule]) => rule);
    const untested = checks.filter(({ name }) => !rules.some((rule) => name.startsWith(rule)));
    expect(untested.map(({ name }) => name)).toEqual([]);
  });

  it("leaves out what it cannot check without being told how", () => {
    const connect = () => createMemoryEngine().connect();
    const few = clusterContract({ connect });
    const all = clusterContract({ connect, maxMessageBytes: 1000, maxChanges: 1000, restartEmpty: () => {} });
    expect(all.length - few.length).toBe(3);
  });

  it("tells an engine that never answers from one that is wrong", async () => {
    const connect = (): Promise<never> => new Promise(() => {});
    const [check] = clusterContract({ connect, timeout: 50 });
    await expect(check?.run()).rejects.toThrow("`connect` did not give a node in time.");
  });
});
