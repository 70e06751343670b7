import { setTimeout as wait } from "node:timers/promises";
import { tool, type Context } from "@toolwire/server";
import { z } from "zod";

const STAGES = ["Gathering sources", "Analyzing content", "Synthesizing findings", "Generating report"] as const;
const STAGE_MS = 150;

export const simulateResearchQuery = tool({
  title: "Research query",
  description:
    "Pretends to research a topic, in four stages. If the query is ambiguous, it asks the user what is meant.",
  input: z.object({
    topic: z.string().min(1).max(200).describe("What to research"),
    ambiguous: z.boolean().default(false).describe("Whether to pretend that the topic could mean several things"),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run({ topic, ambiguous }, ctx) {
    // A modern client is asked by ending this run with a question; with the answer, the handler runs again from the top.
    // Work that must not happen twice goes into `once`.
    const sources = await ctx.once("sources", () => gatherSources(topic, ctx));
    const meaning = ambiguous ? await clarify(topic, ctx) : undefined;
    for (const [index, stage] of STAGES.entries()) {
      if (index === 0) continue;
      await wait(STAGE_MS, undefined, { signal: ctx.signal });
      ctx.progress(index + 1, STAGES.length, stage);
    }
    return [
      `# Research report: ${topic}`,
      ...(meaning === undefined ? [] : [`Understood as: ${meaning}`]),
      `Sources looked at: ${sources}`,
      `Stages: ${STAGES.join(", ")}`,
    ].join("\n\n");
  },
});

async function gatherSources(topic: string, ctx: Context): Promise<number> {
  await wait(STAGE_MS, undefined, { signal: ctx.signal });
  ctx.progress(1, STAGES.length, STAGES[0]);
  return 10 + (topic.length % 7);
}

/** Finds out what is meant. Clients that cannot ask their users, and users who will not say, get the usual meaning. */
async function clarify(topic: string, ctx: Context): Promise<string> {
  const meanings = meaningsOf(topic);
  if (ctx.clientCapabilities.elicitation === undefined) return `${meanings[0]} (nobody could be asked)`;
  const answer = await ctx.tryElicit("meaning", {
    message: `"${topic}" could mean several things. Which one do you have in mind?`,
    schema: z.object({ interpretation: z.enum(meanings).describe("What is meant") }),
  });
  return answer.action === "accept" ? answer.content.interpretation : `${meanings[0]} (the user did not say)`;
}

function meaningsOf(topic: string): [string, ...string[]] {
  return topic.toLowerCase().includes("python")
    ? ["programming language", "snake", "comedy group"]
    : ["technical", "historical", "current events"];
}
