import { describe, expect, test, vi } from "vitest";
import {
  type Clock,
  type LeaseState,
  type LeaseValue,
  type Register,
  withLease,
} from "../../../src/auth/node/lease.ts";

const LEASE_MS = 15_000;
const RENEWAL_MS = 3_000;

/** A register in memory whose writes a test can make fail. */
class MemoryRegister implements Register<LeaseState> {
  current: LeaseState | undefined;
  writes: (string | null)[] = [];
  isBroken = false;
  #count = 0;

  constructor(value?: unknown) {
    if (value !== undefined) this.current = { version: "first", value };
  }

  read = async (): Promise<LeaseState | undefined> => this.current;

  append = async (before: LeaseState | undefined, value: LeaseValue): Promise<LeaseState | undefined> => {
    if (this.isBroken) throw new Error("no space left");
    if (before?.version !== this.current?.version) return undefined;
    this.writes.push(value.holder);
    return (this.current = { version: `v${++this.#count}`, value });
  };
}

/** A clock that goes on by as much as is waited for, or by more. */
class ManualClock implements Clock {
  time = 0;
  polls = 0;
  /** Called before each wait. */
  onWait: (() => void) | undefined;
  readonly timers: { at: number; callback: () => void }[] = [];

  now = (): number => this.time;

  wait = async (ms: number): Promise<void> => {
    this.polls += 1;
    this.onWait?.();
    await this.pass(ms);
  };

  after = (ms: number, callback: () => void): (() => void) => {
    const timer = { at: this.time + ms, callback };
    this.timers.push(timer);
    return () => {
      if (this.timers.includes(timer)) this.timers.splice(this.timers.indexOf(timer), 1);
    };
  };

  async pass(ms: number): Promise<void> {
    this.time += ms;
    for (const timer of this.timers.filter(({ at }) => at <= this.time)) {
      this.timers.splice(this.timers.indexOf(timer), 1);
      timer.callback();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const run = <T>(register: MemoryRegister, clock: Clock, work: (isHeld?: () => Promise<boolean>) => Promise<T>) =>
  withLease(register, "a grant", undefined, work, clock);

test("a free lock is taken at once, and given back", async () => {
  for (const register of [new MemoryRegister(), new MemoryRegister({ holder: null })]) {
    const clock = new ManualClock();
    expect(await run(register, clock, async (isHeld) => isHeld!())).toBe(true);
    expect(clock.polls).toBe(0);
    expect(register.writes).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), null]);
    expect(clock.timers).toEqual([]);
  }
});

test("the lock of a holder that is gone is taken over after a lease, and not before", async () => {
  const clock = new ManualClock();
  await run(new MemoryRegister({ holder: "gone" }), clock, async () => undefined);
  expect(clock.time).toBeGreaterThanOrEqual(LEASE_MS);
  expect(clock.time).toBeLessThan(LEASE_MS + 100);
});

test("a lock is looked at often, and not in a fixed rhythm", async () => {
  const clock = new ManualClock();
  const waits: number[] = [];
  const { wait } = clock;
  clock.wait = (ms) => {
    waits.push(ms);
    return wait(ms);
  };
  await run(new MemoryRegister({ holder: "gone" }), clock, async () => undefined);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(20);
  expect(Math.max(...waits)).toBeLessThanOrEqual(60);
  expect(new Set(waits).size).toBeGreaterThan(100);
});

test("a holder that renews its lock keeps it, however long the work takes", async () => {
  const register = new MemoryRegister();
  const [holder, waiter] = [new ManualClock(), new ManualClock()];
  let end = (): void => {};
  const work = run(register, holder, () => new Promise<void>((resolve) => (end = resolve)));
  await vi.waitFor(() => expect(register.writes).toHaveLength(1));
  let isIn = false;
  let before: { readonly isIn: boolean; readonly writes: readonly (string | null)[] } | undefined;
  waiter.onWait = () => {
    // Both clocks go on together.
    void holder.pass(40);
    if (waiter.time <= 4 * LEASE_MS) return;
    before ??= { isIn, writes: [...register.writes] };
    end();
  };
  const other = run(register, waiter, async () => {
    isIn = true;
  });
  await Promise.all([work, other]);
  expect(before?.isIn).toBe(false);
  expect(before?.writes.length).toBeGreaterThanOrEqual(Math.floor((3 * LEASE_MS) / RENEWAL_MS));
  expect(new Set(before?.writes).size).toBe(1);
  expect(isIn).toBe(true);
});

test("a waiter that was stopped has not seen whether the holder lives, so it goes on waiting", async () => {
  const register = new MemoryRegister({ holder: "stopped together with the waiter" });
  const clock = new ManualClock();
  let hours = 0;
  clock.onWait = () => {
    if (clock.polls % 4 === 0 && hours < 3) {
      hours += 1;
      clock.time += 3600_000;
    }
  };
  const start = clock.time;
  // A night is longer than anybody waits for a lock, and is no reason to give up at once either.
  const failure: unknown = await run(register, clock, async () => undefined).catch((error: unknown) => error);
  expect(register.writes).toEqual([]);
  expect(failure).toMatchObject({ name: "AuthError", code: "TEMPORARY" });
  expect(clock.time - start).toBeGreaterThan(3600_000);
});

test("a step of a second counts as a second", async () => {
  const clock = new ManualClock();
  clock.onWait = () => {
    clock.time += 5_000;
  };
  await run(new MemoryRegister({ holder: "gone" }), clock, async () => undefined);
  expect(clock.polls).toBe(15);
});

test("a lock that changes hands while it is waited for is waited for anew", async () => {
  const register = new MemoryRegister({ holder: "one" });
  const clock = new ManualClock();
  clock.onWait = () => {
    if (clock.polls === 100) register.current = { version: "other", value: { holder: "two" } };
  };
  await run(register, clock, async () => undefined);
  expect(clock.time).toBeGreaterThan(LEASE_MS + 100 * 20);
});

test("a holder that lost its lock learns so, and does not free the lock of its successor", async () => {
  const register = new MemoryRegister();
  const clock = new ManualClock();
  await run(register, clock, async (isHeld) => {
    expect(await isHeld!()).toBe(true);
    register.current = { version: "taken", value: { holder: "successor" } };
    expect(await isHeld!()).toBe(false);
    await clock.pass(RENEWAL_MS);
    // It has noticed, and renews nothing more.
    expect(clock.timers).toEqual([]);
  });
  expect(register.current).toEqual({ version: "taken", value: { holder: "successor" } });
});

test("a renewal that fails is tried again", async () => {
  const register = new MemoryRegister();
  const clock = new ManualClock();
  await run(register, clock, async (isHeld) => {
    register.isBroken = true;
    await clock.pass(RENEWAL_MS);
    register.isBroken = false;
    await clock.pass(RENEWAL_MS);
    expect(register.writes).toHaveLength(2);
    expect(await isHeld!()).toBe(true);
  });
});

describe("the outcome of the work is that of the call", () => {
  test("if the work fails, the lock is given back all the same", async () => {
    const register = new MemoryRegister();
    const work = run(register, new ManualClock(), () => Promise.reject(new Error("broken")));
    await expect(work).rejects.toThrow("broken");
    expect(register.current?.value).toEqual({ holder: null });
  });

  test("if the lock cannot be given back, the work has succeeded all the same", async () => {
    const register = new MemoryRegister();
    const work = run(register, new ManualClock(), async () => {
      register.isBroken = true;
      return "done";
    });
    expect(await work).toBe("done");
  });
});

test("nobody waits longer than ten minutes, and the error says for what", async () => {
  const register = new MemoryRegister({ holder: "busy" });
  const clock = new ManualClock();
  clock.onWait = () => {
    clock.time += 1000;
    register.current = { version: `beat ${clock.polls}`, value: { holder: "busy" } };
  };
  const failure: unknown = await run(register, clock, async () => undefined).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: "TEMPORARY",
    message: expect.stringContaining("the lock of a grant") as string,
  });
  expect(clock.time).toBeGreaterThan(600_000);
  expect(clock.time).toBeLessThan(603_000);
});

test("somebody who gives up waits no longer", async () => {
  const stop = new AbortController();
  const clock = new ManualClock();
  clock.onWait = () => clock.polls === 3 && stop.abort(new Error("waited enough"));
  const waiting = withLease(new MemoryRegister({ holder: "x" }), "a grant", stop.signal, async () => "in", clock);
  await expect(waiting).rejects.toThrow("waited enough");
  expect(clock.polls).toBe(3);
});
