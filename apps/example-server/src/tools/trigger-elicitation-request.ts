import { tool } from "@toolwire/server";
import { z } from "zod";

/** One field of every kind that forms can have. */
const FORM = z.object({
  name: z.string().min(1).max(100).describe("How you want to be called"),
  subscribe: z.boolean().default(false).describe("Whether you want to hear from us"),
  email: z.email().optional().describe("Where to write to"),
  homepage: z.url().optional().describe("Where you are at home on the web"),
  since: z.iso.date().optional().describe("Since when you have been interested"),
  guests: z.int().min(1).max(100).default(1).describe("How many people you bring along"),
  budget: z.number().min(0).max(1000).optional().describe("What it may cost"),
  meal: z.enum(["breakfast", "lunch", "dinner"]).default("lunch").describe("When to eat"),
  extras: z
    .array(z.enum(["coffee", "cake", "music"]))
    .max(3)
    .optional()
    .describe("What else you would like"),
});

export const triggerElicitationRequest = tool({
  title: "Elicitation request",
  description: "Asks the user to fill in a form, and tells what came back.",
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run(_args, ctx) {
    const answer = await ctx.tryElicit("form", { message: "Please fill in this form.", schema: FORM });
    if (answer.action !== "accept") return `The user did not fill in the form (${answer.action}).`;
    const lines = Object.entries(answer.content).map(([field, value]) => `- ${field}: ${String(value)}`);
    return ["The user filled in the form:", ...lines].join("\n");
  },
});
