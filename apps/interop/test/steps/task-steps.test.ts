import { expect, test } from "vitest";
import { runTaskSteps, type TaskDriver, type TaskHold } from "../../src/steps/task-steps.ts";

/** A client that does everything right, by the tool and the title of its call. */
function makeDriver(changes: Partial<TaskDriver> = {}, taskChanges: Partial<TaskHold> = {}): TaskDriver {
  let cancelled = 0;
  const hold = (tool: string, title: unknown): TaskHold => ({
    id: `${tool} ${String(title)}`,
    reference: { tool, title },
    status: async () => (cancelled > 0 && tool === "wait" ? "cancelled" : "completed"),
    result: async () =>
      tool === "fail"
        ? { text: "This tool always fails.", isError: true }
        : { text: tool === "ask" ? "Hello, Ada!" : `Report on ${String(title)}`, isError: false },
    cancel: async () => void cancelled++,
    detach: () => Promise.resolve(),
    ...taskChanges,
  });
  return {
    run: async (tool, args) => hold(tool, (args as { title?: string }).title).result(),
    begin: async (tool, args) => hold(tool, (args as { title?: string }).title),
    call: async () => ({ text: String(cancelled), isError: false }),
    resume: async (reference) => {
      const { tool, title } = reference as { tool: string; title: string };
      return hold(tool, title);
    },
    list: async () => ["report September"],
    ...changes,
  };
}

const passed = {
  run: "passed",
  follow: "passed",
  failed: "passed",
  ask: "passed",
  cancel: "passed",
  resume: "passed",
  list: "passed",
};

test("a client that knows tasks passes all steps", async () => {
  expect(await runTaskSteps(makeDriver(), { without: [] })).toEqual(passed);
});

test("steps that one side cannot do are left out", async () => {
  const outcomes = await runTaskSteps(makeDriver(), { without: ["list", "ask"] });

  expect(outcomes).toEqual({ ...passed, list: "impossible", ask: "impossible" });
});

test("a call that is answered at once does not pass for a task", async () => {
  const outcomes = await runTaskSteps(makeDriver({}, { id: undefined }), { without: [] });

  const failed = { failed: "the server has made no task of the call" };
  expect(outcomes).toEqual({
    ...passed,
    follow: failed,
    failed,
    cancel: failed,
    resume: failed,
    list: failed,
  });
});

test("what a failed tool has said must reach the client as an error", async () => {
  const lost = { text: "", isError: true };
  const succeeded = { text: "This tool always fails.", isError: false };

  for (const result of [lost, succeeded]) {
    const { failed } = await runTaskSteps(makeDriver({}, { result: async () => result }), { without: [] });
    expect(failed).toEqual({ failed: expect.stringContaining(result === lost ? "always fails" : "expected an error") });
  }
});

test("a task that goes on after it was cancelled fails the step", async () => {
  const { cancel } = await runTaskSteps(makeDriver({}, { status: async () => "working" }), { without: [] });

  expect(cancel).toEqual({ failed: expect.stringContaining("the status should contain cancelled") });
});
