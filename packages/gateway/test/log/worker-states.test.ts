import { expect, test } from "vitest";
import type { LogStatus } from "../../src/log/call-log.ts";
import { WorkerStates } from "../../src/log/worker-states.ts";

const state = (change: Partial<LogStatus> = {}): LogStatus => ({
  store: "memory",
  isHealthy: true,
  waiting: 1,
  spoolBytes: 10,
  lost: 100,
  skipped: 1000,
  written: 10_000,
  notices: [],
  ...change,
});

test("the logs of workers count to that of their gateway, also what workers have counted that have ended", () => {
  const workers = new WorkerStates();
  workers.set(1, state());
  workers.set(2, state({ isHealthy: false, error: "disk full", notices: ["cut"] }));
  expect(workers.addTo(state())).toEqual(
    state({
      isHealthy: false,
      waiting: 3,
      spoolBytes: 30,
      lost: 300,
      skipped: 3000,
      written: 30_000,
      notices: ["cut"],
      error: "disk full",
    }),
  );
  workers.end(2);
  workers.end(2);
  expect(workers.addTo(state())).toEqual(
    state({ waiting: 2, spoolBytes: 20, lost: 300, skipped: 3000, written: 30_000 }),
  );
});
