import { tool } from "@toolwire/server";
import { z } from "zod";

export const triggerSamplingRequest = tool({
  title: "Sampling request",
  description: "Asks the model of the client something, and tells what it said.",
  input: z.object({
    prompt: z.string().min(1).describe("What to ask"),
    maxTokens: z.int().min(1).max(10_000).default(100).describe("How long the answer may be, in tokens"),
  }),
  annotations: { readOnlyHint: true, openWorldHint: true },
  async run({ prompt, maxTokens }, ctx) {
    const { model, content } = await ctx.sample("answer", {
      messages: [{ role: "user", content: { type: "text", text: prompt } }],
      maxTokens,
    });
    const texts = [content].flat().map((block) => (block.type === "text" ? block.text : `(${block.type})`));
    return `${model} said: ${texts.join("\n")}`;
  },
});
