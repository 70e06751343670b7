import { jsonSchema, tool, ToolError, type Context, type ToolDefinitions } from "@toolwire/server";
import type { Journal } from "@toolwire/evidence/load";
import { setTimeout as delay } from "node:timers/promises";
import { answerTo, type ToolArguments, type ToolName } from "./task.ts";

const INPUT = jsonSchema<ToolArguments>({
  type: "object",
  properties: { call: { type: "string" }, ms: { type: "number" }, reports: { type: "number" } },
  required: ["call", "ms", "reports"],
});

const FORM = jsonSchema<{ answer: string }>({
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
});

type Work = (args: ToolArguments, ctx: Context) => Promise<void>;

/** The tools of every server process. What they do is written down at once, so that it is known even of a process that was killed. */
export function createTools(journal: Journal): ToolDefinitions {
  const works: Readonly<Record<ToolName, Work>> = {
    async count({ call }) {
      journal.execute(call);
    },
    async progress(args, ctx) {
      journal.execute(args.call);
      await report(args, ctx);
    },
    async ask({ call }, ctx) {
      const { answer } = await ctx.elicit("answer", { message: call, schema: FORM });
      if (answer !== call) throw new ToolError(`Asked about ${call}, told about ${answer}.`);
      journal.execute(call);
    },
    async stream(args, ctx) {
      await report(args, ctx);
      journal.execute(args.call);
    },
    async long({ call, ms }, { progress, signal }) {
      journal.note("begun", call);
      progress(1, 1);
      try {
        await delay(ms, undefined, { signal });
      } catch (error) {
        journal.note("cancelled", call);
        throw error;
      }
      journal.execute(call);
    },
  };
  return Object.fromEntries(
    Object.entries(works).map(([name, work]) => [
      name,
      tool({
        description: `Does the work of ${name}`,
        input: INPUT,
        async run(args, ctx) {
          await work(args, ctx);
          return answerTo(args.call, ctx.era);
        },
      }),
    ]),
  );
}

async function report({ ms, reports }: ToolArguments, { progress, signal }: Context): Promise<void> {
  for (let step = 1; step <= reports; step += 1) {
    progress(step, reports);
    await delay(ms / reports, undefined, { signal });
  }
}
