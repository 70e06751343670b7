/** A process that shares tasks with a test: it counts up in the body of a task, and says what it hears. */
import pg from "pg";
import { postgresTaskStore } from "../../../src/tasks/index.ts";

const [url = "", id = "", times = "0"] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url });
const store = await postgresTaskStore(pool);

store.onDue((due) => process.send?.({ due }));
store.watch(id, () => process.send?.({ changed: id }));

process.once("message", () => void count());
process.once("disconnect", () => process.exit());
process.send?.("ready");

async function count(): Promise<void> {
  for (let done = 0; done < Number(times);) {
    const task = await store.read(id);
    if (task === undefined) throw new Error("The task is not there.");
    const next = { ...task, version: task.version + 1, body: String(Number(task.body) + 1) };
    if (await store.replace(next, task.version)) done += 1;
  }
  process.send?.("done");
}
