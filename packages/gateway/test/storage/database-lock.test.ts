import { expect, onTestFinished, test } from "vitest";
import { migrate } from "../../src/log/database/migrations.ts";
import { withLock } from "../../src/storage/database-lock.ts";
import { makeDatabase, STORE } from "./databases.ts";

test(`In ${STORE}, a gateway that was stopped for too long finds out that its lock is gone, and frees no other one`, async () => {
  const made = await makeDatabase();
  onTestFinished(() => made.remove());
  const database = await made.open();
  onTestFinished(() => database.close());
  await migrate(database);
  const work = async (isHeld?: () => Promise<boolean>): Promise<string> => {
    expect(await isHeld!()).toBe(true);
    await database.query("update toolwire.locks set until = clock_timestamp() - interval '1 second'");
    expect(await isHeld!()).toBe(false);
    await database.query("update toolwire.locks set holder = 'other', until = clock_timestamp() + interval '1 hour'");
    expect(await isHeld!()).toBe(false);
    return "done";
  };
  expect(await withLock(database, "key", work, undefined)).toBe("done");
  expect(await database.query("select key, holder from toolwire.locks")).toEqual([{ key: "key", holder: "other" }]);
});
