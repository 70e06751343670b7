import { jsonSchema, tool, ToolError, type Context, type ToolDefinitions } from "@toolwire/server";
import { setTimeout as delay } from "node:timers/promises";
import type { Journal } from "@toolwire/evidence/load";
import { answerTo, type WorkArguments } from "./task.ts";

const INPUT = jsonSchema<WorkArguments>({
  type: "object",
  properties: {
    call: { type: "string" },
    ms: { type: "number" },
    effect: { enum: ["first", "last"] },
    reports: { type: "number" },
    asks: { type: "boolean" },
    isDeaf: { type: "boolean" },
    length: { type: "number" },
  },
  required: ["call", "ms", "effect", "reports", "asks", "isDeaf", "length"],
});

const FORM = jsonSchema<{ answer: string }>({
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
});

/** The same work under two names: clients may repeat `look_up` and must never repeat `work`. */
export function createTools(journal: Journal): ToolDefinitions {
  const run = (args: WorkArguments, ctx: Context): Promise<string> => work(args, ctx, journal);
  return {
    work: tool({ description: "Has an effect, once", input: INPUT, run }),
    look_up: tool({ description: "Has an effect that may be repeated", input: INPUT, run }),
  };
}

async function work(args: WorkArguments, ctx: Context, journal: Journal): Promise<string> {
  const { call, ms, effect, reports, asks, isDeaf } = args;
  if (asks) {
    const { answer } = await ctx.elicit("answer", { message: call, schema: FORM });
    if (answer !== call) throw new ToolError(`Asked about ${call}, told about ${answer}.`);
  }
  if (effect === "first") journal.execute(call);
  const steps = reports + 1;
  for (let step = 1; step <= steps; step++) {
    if (ms > 0) await delay(ms / steps, undefined, isDeaf ? {} : { signal: ctx.signal });
    if (step < steps) ctx.progress(step, steps, call);
  }
  if (effect === "last") journal.execute(call);
  return answerTo(args, ctx.era);
}
