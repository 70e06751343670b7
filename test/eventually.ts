import { vi } from "vitest";

/** Waits until a check passes. The time is a ceiling, for slow machines only: that of Vitest is a second. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 20_000 });
}
