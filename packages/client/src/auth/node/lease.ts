import { AuthError } from "@toolwire/protocol";
import { wait } from "../../waiting.ts";
import type { LockedWork } from "../store/auth-store.ts";

/** A value that is replaced only by whoever has seen the last one. */
export interface Register<T> {
  read(): Promise<T | undefined>;
  /** Writes a value. Resolves to what stands there now, or to `undefined` if somebody else has written since `before`. */
  append(before: T | undefined, value: LeaseValue): Promise<T | undefined>;
}

/** The content of a lock: a random id of its holder, or `null` if it is free. */
export interface LeaseValue {
  readonly holder: string | null;
}

/** A value of the register, as the lock needs it. */
export interface LeaseState {
  readonly version: string;
  readonly value?: unknown;
}

/** The time of this process. It never goes back. */
export interface Clock {
  now(): number;
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** Calls back after some time, once. Returns a function that ends this. */
  after(ms: number, callback: () => void): () => void;
}

/** How often a holder shows that it lives, and after how long without that its lock is free. */
const RENEWAL_MS = 3_000;
const LEASE_MS = 15_000;

/** How often a lock is tried. */
const POLL_MS = 40;

/**
 * The longest time between two looks at a lock that counts. A waiter that was stopped for longer, as on a computer that sleeps,
 * has not seen whether the holder lives: the holder may have been stopped with it.
 */
const MAX_STEP_MS = 1_000;

/** How long a lock is waited for, if nobody gives up before. A login takes minutes. */
const MAX_WAIT_MS = 10 * 60_000;

/** The clock of the platform. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wait,
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    // In browsers, timers are numbers.
    (timer as { unref?: () => void }).unref?.();
    return () => clearTimeout(timer);
  },
};

/**
 * Runs work while nobody else does for the same register. The holder renews its lock; a lock that was not renewed for a lease, as
 * the waiter has seen it by its own clock, is taken over. A holder that was stopped for longer can ask whether it still holds the
 * lock. What it writes late does no harm, because values are replaced only by whoever knows their version.
 */
export async function withLease<T, S extends LeaseState>(
  register: Register<S>,
  what: string,
  signal: AbortSignal | undefined,
  work: LockedWork<T>,
  clock: Clock,
): Promise<T> {
  const value: LeaseValue = { holder: crypto.randomUUID() };
  let held: S | undefined = await acquire(register, value, what, signal, clock);
  let isOver = false;
  let renewal = Promise.resolve();
  let stopTimer = (): void => {};
  const renew = async (): Promise<void> => {
    try {
      held &&= await register.append(held, value);
    } catch {
      // A write that failed is tried again: the lease is longer than several renewals.
    }
    if (held !== undefined && !isOver) plan();
  };
  const plan = (): void => {
    stopTimer = clock.after(RENEWAL_MS, () => void (renewal = renew()));
  };
  plan();
  try {
    return await work(async () => holderOf(await register.read()) === value.holder);
  } finally {
    isOver = true;
    stopTimer();
    await renewal;
    // If this fails, the lock is free after a lease. The outcome of the work stays what it is.
    if (held !== undefined) await register.append(held, { holder: null }).catch(() => undefined);
  }
}

async function acquire<S extends LeaseState>(
  register: Register<S>,
  value: LeaseValue,
  what: string,
  signal: AbortSignal | undefined,
  clock: Clock,
): Promise<S> {
  const end = clock.now() + MAX_WAIT_MS;
  let seen: string | undefined;
  let unchanged = 0;
  for (let last = clock.now(); ;) {
    signal?.throwIfAborted();
    const found = await register.read();
    const now = clock.now();
    unchanged = found?.version === seen ? unchanged + Math.min(now - last, MAX_STEP_MS) : 0;
    [seen, last] = [found?.version, now];
    if (holderOf(found) === undefined || unchanged >= LEASE_MS) {
      const held = await register.append(found, value);
      if (held !== undefined) return held;
      continue;
    }
    if (now > end) {
      throw new AuthError(
        "TEMPORARY",
        `Another process has held the lock of ${what} for ten minutes. Try again later.`,
      );
    }
    // Random, so that many processes do not try in the same moment.
    await clock.wait(POLL_MS * (0.5 + Math.random()), signal);
  }
}

function holderOf(state: LeaseState | undefined): string | undefined {
  const holder = (state?.value as Partial<LeaseValue> | undefined)?.holder;
  return typeof holder === "string" ? holder : undefined;
}
