import { expect, test, vi } from "vitest";
import { withTimeout } from "../../../src/bindings/admission/with-timeout.ts";

test("a promise that settles in time leaves no timer, which would keep the process alive", async () => {
  vi.useFakeTimers();
  try {
    await withTimeout(60_000, Promise.resolve());
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
