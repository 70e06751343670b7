import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Context, reply, tool, ToolError, type ToolDefinition } from "../../src/index.ts";
import { BINDINGS, callTool, type Json, type Served, type TaskClient, taskWhen } from "./task-clients.ts";
import { ADA, NAME, PLAIN, serveTasks } from "./task-server.ts";

const OVER = ["completed", "failed", "cancelled"];

/** Answers what servers of 2025-11-25 ask. */
const answer = (): Json => ADA;

/** Ways to run a tool. Each returns the result without what differs by protocol. */
const RUNS: readonly {
  readonly way: string;
  run(served: Served, name: string): Promise<Json>;
}[] = [
  {
    way: "2025-11-25, within the request",
    run: async (served, name) => callTool(await served.legacy({ answer }), name),
  },
  {
    way: "2026-07-28, in rounds",
    run: (served, name) => callInRounds(served.declaring({ capabilities: PLAIN }), name),
  },
  {
    way: "a task of 2025-11-25",
    async run(served, name) {
      const client = await served.legacy({ answer });
      const { task } = await callTool(client, name, {}, { task: {} });
      return client.request("tasks/result", { taskId: (task as { taskId: string }).taskId });
    },
  },
  {
    way: "a task of the extension",
    async run(served, name) {
      const client = served.declaring();
      const { taskId } = await callInRounds(client, name);
      const { result } = await finish(client, taskId as string);
      return result;
    },
  },
];

/** Calls a tool until it has no questions. */
async function callInRounds(client: TaskClient, name: string): Promise<Json> {
  let result = await callTool(client, name);
  while (result.resultType === "input_required") {
    const { requestState, inputRequests } = result as { requestState: string; inputRequests: object };
    result = await callTool(client, name, {}, { requestState, inputResponses: answersTo(inputRequests) });
  }
  return result;
}

/** Answers all questions of a task until it is over. */
async function finish(client: TaskClient, taskId: string): Promise<Json> {
  for (;;) {
    const task = await taskWhen(client, taskId, ({ status }: { status: string }) => status !== "working");
    const { status, inputRequests } = task as { status: string; inputRequests: object };
    if (OVER.includes(status)) return task;
    await client.request("tasks/update", { taskId, inputResponses: answersTo(inputRequests) });
  }
}

function answersTo(inputRequests: object): object {
  return Object.fromEntries(Object.keys(inputRequests).map((key) => [key, ADA]));
}

describe.each(BINDINGS)("One handler, over $name", (binding) => {
  let served: Served | undefined;
  let effects: string[] = [];

  afterEach(() => served?.close());

  const tools: { readonly [name: string]: ToolDefinition } = {
    text: tool({ task: true, run: () => "done" }),
    data: tool({ task: true, output: z.object({ n: z.number() }), run: () => ({ n: 7 }) }),
    mixed: tool({
      task: true,
      output: z.object({ n: z.number() }),
      run: () => reply({ structured: { n: 7 }, content: "seven" }),
    }),
    failing: tool({
      task: true,
      run() {
        throw new ToolError("It has failed.");
      },
    }),
    declining: tool({
      task: true,
      async run(_args, ctx) {
        const { name } = await ctx.elicit("who", NAME);
        throw new ToolError(`${name} is not welcome.`);
      },
    }),
    asking: tool({ task: true, run: (_args, ctx) => ask(ctx) }),
    later: tool({
      task: { begin: "manual" },
      async run(_args, ctx) {
        const { name } = await ctx.elicit("who", NAME);
        const order = await ctx.once("before", () => note("before"));
        await ctx.task.begin();
        const { name: other } = await ctx.elicit("other", NAME);
        return `${name}, ${other} and ${order}`;
      },
    }),
  };

  async function ask(ctx: Context): Promise<string> {
    const first = await ctx.once("first", () => note("first"));
    const { name } = await ctx.elicit("who", NAME);
    const second = await ctx.once("second", () => note("second"));
    const [one, other] = await Promise.all([ctx.elicit("one", NAME), ctx.elicit("other", NAME)]);
    await ctx.once("nothing", () => undefined);
    return [first, name, second, one.name, other.name].join(" ");
  }

  function note(effect: string): string {
    effects.push(effect);
    return effect;
  }

  it.each(Object.keys(tools))("gives the same result in every run, and does each step once: %s", async (name) => {
    served = await binding.serve(serveTasks(tools));
    const results: [string, object][] = [];
    let expected: readonly string[] | undefined;
    for (const { way, run } of RUNS) {
      effects = [];
      const {
        _meta,
        resultType: _type,
        ...result
      } = (await run(served, name)) as { _meta?: object; resultType?: string };
      results.push([way, result]);
      expected ??= effects;
      expect([way, effects]).toEqual([way, expected]);
    }
    for (const [way, result] of results) expect([way, result]).toEqual([way, results[0]?.[1]]);
  });
});
