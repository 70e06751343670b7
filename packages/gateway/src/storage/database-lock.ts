import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { LockedWork } from "@toolwire/client/auth";
import type { Database } from "../log/database/database.ts";

/** How long a lock outlives a gateway that has died, and how often one that lives renews it, in milliseconds. */
const LEASE = 15_000;
const RENEWAL = 5000;

/** How long those who wait pause between two attempts, at first and at most, in milliseconds. */
const FIRST_PAUSE = 20;
const LONGEST_PAUSE = 250;

/**
 * Runs work while no other gateway on the database runs work for the same key. The lock is a row with an end, by the clock of
 * the database: a lock of Postgres would take up a connection for as long as the work runs.
 */
export async function withLock<T>(
  database: Database,
  key: string,
  work: LockedWork<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const holder = randomUUID();
  for (let pause = FIRST_PAUSE; !(await take(database, key, holder)); pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    await delay(pause * (0.5 + Math.random()), undefined, { signal });
  }
  // A renewal that fails is followed by another one, before the lock ends.
  const timer = setInterval(() => void renew(database, key, holder).catch(() => undefined), RENEWAL);
  try {
    signal?.throwIfAborted();
    return await work(() => isHeld(database, key, holder));
  } finally {
    clearInterval(timer);
    const release = "delete from toolwire.locks where key = $1 and holder = $2";
    // If the database is away, the lock ends by itself.
    await database.query(release, [key, holder]).catch(() => undefined);
  }
}

async function take(database: Database, key: string, holder: string): Promise<boolean> {
  const rows = await database.query(
    `insert into toolwire.locks as lock (key, holder, until)
     values ($1, $2, clock_timestamp() + $3::float8 * interval '1 millisecond')
     on conflict (key) do update set holder = excluded.holder, until = excluded.until
     where lock.until < clock_timestamp() returning key`,
    [key, holder, LEASE],
  );
  return rows.length > 0;
}

/** Whether nobody else can have taken the lock: a gateway that was stopped for longer than it lasts may have lost it. */
async function isHeld(database: Database, key: string, holder: string): Promise<boolean> {
  const rows = await database.query(
    "select key from toolwire.locks where key = $1 and holder = $2 and until >= clock_timestamp()",
    [key, holder],
  );
  return rows.length > 0;
}

async function renew(database: Database, key: string, holder: string): Promise<void> {
  await database.query(
    `update toolwire.locks set until = clock_timestamp() + $3::float8 * interval '1 millisecond'
     where key = $1 and holder = $2`,
    [key, holder, LEASE],
  );
}
