import { RpcError, tool, ToolError, type Context, type ToolDefinition } from "@toolwire/server";
import { z } from "zod";

/** Waits, unless the task is cancelled. */
function wait(seconds: number, { signal }: Context): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

const confirmation = z.object({ confirm: z.boolean() });

/** The tools of the scenarios about tasks. */
export const taskTools: { readonly [name: string]: ToolDefinition } = {
  greet: tool({
    description: "Says hello, at once",
    input: z.object({ name: z.string() }),
    run: ({ name }) => `Hello, ${name}!`,
  }),
  slow_compute: tool({
    description: "Takes its time",
    input: z.object({ seconds: z.number(), label: z.string().default("work") }),
    task: true,
    async run({ seconds, label }, ctx) {
      await wait(seconds, ctx);
      return `${label} is done after ${seconds} s.`;
    },
  }),
  failing_job: tool({
    description: "Fails after a second, as a task only",
    task: { mode: "required" },
    async run(_args, ctx) {
      await wait(1, ctx);
      throw new ToolError("The job has failed.");
    },
  }),
  protocol_error_job: tool({
    description: "Ends with an error of the protocol",
    task: true,
    async run(_args, ctx) {
      await wait(0.2, ctx);
      throw new RpcError(-32603, "The job cannot be done.");
    },
  }),
  confirm_delete: tool({
    description: "Asks before it deletes",
    input: z.object({ filename: z.string() }),
    task: true,
    async run({ filename }, ctx) {
      const { confirm } = await ctx.elicit("confirm", { message: `Delete ${filename}?`, schema: confirmation });
      return confirm ? `Deleted ${filename}.` : `Kept ${filename}.`;
    },
  }),
  multi_input: tool({
    description: "Asks two things at the same time",
    task: true,
    async run(_args, ctx) {
      const schema = z.object({ name: z.string(), confirm: z.boolean() });
      const answers = await Promise.all([
        ctx.elicit("first", { message: "Who is the first?", schema }),
        ctx.elicit("second", { message: "Who is the second?", schema }),
      ]);
      return answers.map(({ name }) => name).join(" and ");
    },
  }),
  test_tool_with_task: tool({
    description: "Asks before it becomes a task",
    task: { begin: "manual" },
    async run(_args, ctx) {
      const schema = z.object({ name: z.string() });
      const { name } = await ctx.elicit("who", { message: "What is your name?", schema });
      await ctx.task.begin(`Greeting ${name}`);
      await wait(0.2, ctx);
      return `Hello, ${name}!`;
    },
  }),
};
