import { tool } from "@toolwire/server";
import { z } from "zod";

export const triggerUrlElicitation = tool({
  title: "URL elicitation",
  description: "Asks the user to visit a page, where what they enter stays between them and that page.",
  input: z.object({
    url: z.url({ protocol: /^https$/, error: "expected an https: URL" }).describe("The page to visit"),
    message: z.string().min(1).default("Please visit this page.").describe("What to tell the user"),
  }),
  annotations: { readOnlyHint: true, openWorldHint: true },
  async run({ url, message }, ctx) {
    // Throws if the user declines, and the model is told; where that needs an answer of its own, use `tryElicit`.
    await ctx.elicit("page", { message, url });
    return `The user agreed to visit ${url}.`;
  },
});
