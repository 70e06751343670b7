import { UsageError } from "@toolwire/protocol";
import { expect, test } from "vitest";
import { postgresSchema } from "../../../src/index.ts";
import { newTask, OPENERS, useTaskRig } from "./stores.ts";

const rig = useTaskRig();
const open = OPENERS["pg"]!;

function as(role: string): string {
  const url = new URL(rig.server.url);
  url.username = role;
  return url.href;
}

test("ten processes that begin at the same moment create the table once, and share its tasks", async () => {
  const openers = Array.from({ length: 10 }, (_, index) => OPENERS[index % 2 === 0 ? "pg" : "postgres.js"]!);
  const stores = await Promise.all(
    openers.map((each) => each(rig.server.url, { schema: "at_once", deadline: 20_000 })),
  );
  try {
    const task = newTask();
    await stores[0]!.create(task);
    for (const store of stores) expect(await store.read(task.id)).toEqual(task);
  } finally {
    await Promise.all(stores.map((store) => store.end()));
  }
});

test("tables of a cluster from before there were tasks get the table of tasks, and keep what they have", async () => {
  await rig.operate(`${postgresSchema({ schema: "older" })} drop table older.task;`);
  const [before] = await rig.operate("select secret from older.installation");
  await expect(open(rig.server.url, { schema: "older", createTables: false })).rejects.toThrow(
    "There is no table `task` in the schema older.",
  );
  const store = await open(rig.server.url, { schema: "older" });
  try {
    expect(await store.create(newTask())).toBe(true);
    expect(await rig.operate("select secret from older.installation")).toEqual([before]);
  } finally {
    await store.end();
  }
});

test("a role that may create nothing uses the table that an operator has created for it", async () => {
  await rig.operate(`create role "app role" login; revoke create on database postgres from "app role"`);
  await expect(open(as("app role"), { schema: "granted" })).rejects.toThrow(UsageError);
  await rig.operate(postgresSchema({ schema: "granted", role: "app role" }));
  const store = await open(as("app role"), { schema: "granted", createTables: false });
  try {
    const task = newTask({ wake: 1 });
    await store.create(task);
    expect(await store.replace({ ...task, version: 2 }, 1)).toBe(true);
    expect(await store.due(1, 10)).toEqual([task.id]);
    await store.wake(task.id);
    await store.delete(task.id);
    expect(await store.read(task.id)).toBeUndefined();
  } finally {
    await store.end();
  }
});

test("tasks are written to the log of Postgres, so that they survive a crash", async () => {
  await rig.witness();
  expect(await rig.operate("select relpersistence from pg_class where oid = 'toolwire.task'::regclass")).toEqual([
    { relpersistence: "p" },
  ]);
});

test("what is due, open and listed is found by an index among many tasks", async () => {
  const store = await rig.witness();
  await rig.operate(`
insert into toolwire.task (id, version, owner, owner_digest, expires, wake, is_over, body)
select 'bulk' || n, 1, 'o' || n % 100, sha256(('o' || n % 100)::bytea), 1e13, null, n > 100, '{}' from generate_series(1, 20000) n;
analyze toolwire.task`);
  const plans = {
    due: "select id from toolwire.task where due_at <= 5 order by due_at limit 100",
    count: "select count(*) filter (where owner_digest = sha256('o1')) from toolwire.task where not is_over",
    list: "select id from toolwire.task where owner_digest = sha256('o1') and id > 'bulk5' order by id limit 100",
  };
  const used: { [query: string]: boolean } = {};
  for (const [name, query] of Object.entries(plans)) {
    const plan = await rig.operate(`explain ${query}`);
    used[name] = plan.some((row) => /index/i.test(String(row["QUERY PLAN"])));
  }
  expect(used).toEqual({ due: true, count: true, list: true });
  expect(await store.count("nobody")).toMatchObject({ owner: 0 });
});
