/** Measures one store in a process of its own: `node --expose-gc program.js JOB`, the job being JSON. It prints the figures as JSON. */
import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { type TaskRecord, tasks, type TaskStore } from "@toolwire/server/tasks";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { Caller } from "../callers/caller.ts";
import { openStore } from "../stores/open.ts";
import type { FigureJob, Figures } from "./figures.ts";

/** How many calls are under way at the same time. */
const AT_ONCE = 16;
/** How many tasks are made before anything is measured, so that everything is loaded. */
const WARM_UP = 50;
const PAUSE_MS = 5;
const DEADLINE_MS = 240_000;

const { store: address, quick, open } = JSON.parse(process.argv[2] ?? "") as FigureJob;
const { store, close } = await openStore(address);
// Ends with the run, however that ends.
process.stdin.on("end", () => process.exit(1)).resume();
let ended = 0;
let waiting = 0;

const server = createServer({
  name: "figures",
  version: "1.0.0",
  stateKey: "one key for a run that ends in minutes",
  tools: {
    quick: tool({ task: { resume: "replay" }, run: async (_args, ctx) => ctx.once("step", () => "done") }),
    asking: tool({
      task: true,
      async run(_args, ctx) {
        const { name } = await ctx.elicit("who", { message: "Who are you?", schema: z.object({ name: z.string() }) });
        return `Hello, ${name}!`;
      },
    }),
  },
  extensions: [tasks({ store: counting(store), perCaller: Infinity, maxTasks: Infinity })],
  onDiagnostic: () => {},
});
const listener = await serveHttp(server, { port: 0 });
const caller = new Caller(() => [listener.url]);

await makeTasks("quick", WARM_UP);
await until(() => ended === WARM_UP);

const begun = performance.now();
await makeTasks("quick", quick);
await until(() => ended === WARM_UP + quick);
const tasksPerSecond = Math.round(quick / ((performance.now() - begun) / 1000));

await makeTasks("asking", WARM_UP);
await until(() => waiting === WARM_UP);
const before = await heapUsed();
await makeTasks("asking", open);
await until(() => waiting === WARM_UP + open);
const heap = (await heapUsed()) - before;
const figures: Figures = { tasksPerSecond, open, heap };
console.log(JSON.stringify(figures));

await listener.close();
await close();
process.exit(0);

/** Counts the tasks that have ended or wait for their client, when the store has kept that. */
function counting(counted: TaskStore): TaskStore {
  const note = (record: TaskRecord): void => {
    if (record.isOver) ended += 1;
    else if (record.wake === null) waiting += 1;
  };
  return {
    create: (record) => counted.create(record),
    read: (id) => counted.read(id),
    async replace(record, ifVersion) {
      const isReplaced = await counted.replace(record, ifVersion);
      if (isReplaced) note(record);
      return isReplaced;
    },
    delete: (id) => counted.delete(id),
    due: (now, limit) => counted.due(now, limit),
    count: (owner) => counted.count(owner),
    list: (owner, after, limit) => counted.list(owner, after, limit),
    ...(counted.watch && { watch: counted.watch.bind(counted) }),
    ...(counted.onDue && { onDue: counted.onDue.bind(counted) }),
    ...(counted.wake && { wake: counted.wake.bind(counted) }),
  };
}

async function makeTasks(name: string, count: number): Promise<void> {
  let left = count;
  const work = async (): Promise<void> => {
    while (left-- > 0) await caller.call(name, {});
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function until(isMet: () => boolean): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!isMet()) {
    if (performance.now() > deadline) {
      throw new Error(`${ended} tasks have ended and ${waiting} wait, which is too few.`);
    }
    await delay(PAUSE_MS);
  }
}

/** The heap, after garbage was collected. */
async function heapUsed(): Promise<number> {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error("Start this program with --expose-gc.");
  let least = Infinity;
  for (let round = 0; round < 5; round += 1) {
    await delay(50);
    gc();
    least = Math.min(least, process.memoryUsage().heapUsed);
  }
  return least;
}
