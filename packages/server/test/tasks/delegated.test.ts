import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { tool, ToolError } from "../../src/index.ts";
import { delegated, type DelegatedState, memoryTaskStore, type TaskStore } from "../../src/tasks/index.ts";
import { type Json, ModernClient } from "../wire-client.ts";
import { DECLARED, PLAIN, serveTasks, type TaskServerOptions } from "./task-server.ts";

/** A place where work is done, as far as a test says. */
class Elsewhere {
  readonly started: { readonly branch: string; readonly key: string }[] = [];
  readonly stopped: number[] = [];
  polls = 0;
  state: () => DelegatedState<string> = () => ({ done: false, message: "queued", progress: this.polls });
}

describe("Delegated work", () => {
  let ci: Elsewhere;
  let clients: ModernClient[] = [];

  afterEach(async () => {
    await Promise.all(clients.map((client) => client.disconnect()));
    clients = [];
  });

  function open(options: TaskServerOptions = {}, capabilities: object = DECLARED): ModernClient {
    const build = tool({
      input: z.object({ branch: z.string() }),
      task: { resume: "replay", attempts: 1000 },
      run: delegated({
        start: ({ branch }: { branch: string }, ctx) => ci.started.push({ branch, key: ctx.task.key("start") }) - 1,
        poll: (_job: number): DelegatedState<string> => {
          ci.polls += 1;
          return ci.state();
        },
        cancel: (job) => void ci.stopped.push(job),
        interval: 2,
      }),
    });
    const quick = tool({ task: true, run: () => "quick" });
    const client = new ModernClient(serveTasks({ build, quick }, options), { capabilities });
    clients.push(client);
    return client;
  }

  async function begin(client: ModernClient): Promise<string> {
    return ((await client.callTool("build", { branch: "main" })) as { taskId: string }).taskId;
  }

  async function taskIn(client: ModernClient, taskId: string, status: string): Promise<Json> {
    let task: Json = {};
    await expect
      .poll(async () => {
        task = await client.request("tasks/get", { taskId });
        return (task as { status: string }).status;
      })
      .toBe(status);
    return task;
  }

  it("is started once, looked at until it is done, and says meanwhile what it does", async () => {
    ci = new Elsewhere();
    const client = open();
    const taskId = await begin(client);
    await expect
      .poll(async () => (await client.request("tasks/get", { taskId })).statusMessage as string)
      .toBe("queued");
    ci.state = () => ({ done: true, result: "built" });
    expect((await taskIn(client, taskId, "completed")).result.content[0].text).toBe("built");
    expect(ci.started).toEqual([{ branch: "main", key: `${taskId}:start` }]);
    expect(ci.stopped).toEqual([]);
  });

  it("is waited for by clients that do not know tasks", async () => {
    ci = new Elsewhere();
    ci.state = () => (ci.polls < 3 ? { done: false } : { done: true, result: "built" });
    const result = await open({}, PLAIN).callTool("build", { branch: "main" });
    expect(result.content[0].text).toBe("built");
  });

  it("is found again by another process, which starts nothing, and does not stop it", async () => {
    ci = new Elsewhere();
    const store: TaskStore = memoryTaskStore();
    const one = open({ store });
    const taskId = await begin(one);
    await expect.poll(() => ci.polls).toBeGreaterThan(2);
    await one.disconnect();
    const two = open({ store });
    const before = ci.polls;
    await expect.poll(() => ci.polls).toBeGreaterThan(before + 2);
    ci.state = () => ({ done: true, result: "built" });
    await taskIn(two, taskId, "completed");
    expect(ci.started).toHaveLength(1);
    expect(ci.stopped).toEqual([]);
  });

  it("is stopped when its task is cancelled, and when the time of its task is up", async () => {
    ci = new Elsewhere();
    const client = open();
    const taskId = await begin(client);
    await expect.poll(() => ci.polls).toBeGreaterThan(1);
    await client.request("tasks/cancel", { taskId });
    await expect.poll(() => ci.stopped).toEqual([0]);
    const short = open({ maxTtl: 40 });
    await taskIn(short, await begin(short), "failed");
    await expect.poll(() => ci.stopped).toEqual([0, 1]);
  });

  it("fails if the other side says so, and is looked at again if that cannot be found out", async () => {
    ci = new Elsewhere();
    ci.state = () => {
      if (ci.polls < 4) throw new Error("no route");
      throw new ToolError("The build has failed.");
    };
    const client = open();
    const { result } = await taskIn(client, await begin(client), "completed");
    expect(result).toMatchObject({ isError: true, content: [{ text: "The build has failed." }] });
  });

  it("takes no place of those that run", async () => {
    ci = new Elsewhere();
    const client = open({ maxRunning: 1 });
    await begin(client);
    await begin(client);
    const { taskId } = (await client.callTool("quick")) as { taskId: string };
    expect((await taskIn(client, taskId, "completed")).result.content[0].text).toBe("quick");
  });

  it("is checked when it is defined", () => {
    const whole = { start: () => 1, poll: () => ({ done: true, result: "" }) as const };
    expect(() => delegated({ ...whole, start: 7 as never })).toThrow("start");
    expect(() => delegated({ ...whole, interval: 0 })).toThrow("interval");
    expect(() => delegated({ ...whole, every: 5 } as never)).toThrow("every");
  });
});
