import { onTestFinished, vi } from "vitest";

/** Stops the clock for one test, so that whatever comes, comes at once, however busy the machine is. Timers go on. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
}
