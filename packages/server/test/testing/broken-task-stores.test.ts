import { describe, expect, it } from "vitest";
import { memoryTaskStore } from "../../src/tasks/index.ts";
import { ContractViolation, taskStoreContract } from "../../src/testing/index.ts";
import { BROKEN, createBrokenStore } from "./broken-task-stores.ts";

const TIMEOUT = 1000;

describe.concurrent("taskStoreContract catches a store that", () => {
  it.each(BROKEN)("%s (%s)", async (_what, rule, breaks) => {
    const store = createBrokenStore(breaks);
    const meant = taskStoreContract({ open: () => store, timeout: TIMEOUT }).filter(({ name }) =>
      name.startsWith(rule),
    );
    expect(meant).toHaveLength(1);
    const problem = await meant[0]?.run().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(problem).toBeInstanceOf(ContractViolation);
    expect(String(problem)).not.toContain("did not settle");
  });
});

describe("taskStoreContract", () => {
  it("has a broken store for each of its rules", () => {
    const rules = BROKEN.map(([, rule]) => rule);
    const untested = taskStoreContract({ open: memoryTaskStore }).filter(
      ({ name }) => !rules.some((rule) => name.startsWith(rule)),
    );
    expect(untested.map(({ name }) => name)).toEqual([]);
  });

  it("tells a store that never answers from one that is wrong", async () => {
    const store = createBrokenStore(() => ({ create: () => new Promise(() => {}) }));
    const [check] = taskStoreContract({ open: () => store, timeout: 50 });
    await expect(check?.run()).rejects.toThrow("did not settle");
  });
});
