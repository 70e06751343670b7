import { vi } from "vitest";

/** A ceiling, for slow machines only: that of Vitest is a second. */
const CEILING = { timeout: 20_000 };

/** Waits until a check passes, and says why it did not. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, CEILING);
}

/** Waits until a condition holds, or a value is there. */
export function until<T>(condition: () => T | Promise<T>): ReturnType<typeof vi.waitUntil<T>> {
  return vi.waitUntil(condition, CEILING);
}
