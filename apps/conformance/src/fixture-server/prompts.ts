import { embeddedResource, image, prompt, text, type PromptDefinition } from "@toolwire/server";
import { z } from "zod";
import { PIXEL } from "./samples.ts";

/** The prompts that the suite gets. */
export const prompts = {
  test_simple_prompt: prompt({
    description: "Has no arguments",
    get: () => "This is a simple prompt for testing.",
  }),
  test_prompt_with_arguments: prompt({
    description: "Repeats its arguments",
    arguments: {
      arg1: {
        required: true,
        complete: (value) => ["test1", "test2"].filter((known) => known.startsWith(value)),
      },
      arg2: { required: true },
    },
    get: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  }),
  test_prompt_with_embedded_resource: prompt({
    description: "Contains a resource",
    arguments: { resourceUri: { required: true } },
    get: ({ resourceUri }) => [
      { role: "user", content: embeddedResource({ uri: resourceUri, mimeType: "text/plain", text: "The resource." }) },
      { role: "user", content: text("Please look at the resource above.") },
    ],
  }),
  test_prompt_with_image: prompt({
    description: "Contains a picture",
    get: () => [
      { role: "user", content: image(PIXEL, "image/png") },
      { role: "user", content: text("Please look at the picture above.") },
    ],
  }),
  test_input_required_result_prompt: prompt({
    description: "Asks the user before it is made",
    async get(_args, ctx) {
      const { topic } = await ctx.elicit("user_context", {
        message: "What is it about?",
        schema: z.object({ topic: z.string().optional() }),
      });
      return `Please write about ${topic ?? "anything"}.`;
    },
  }),
} as const satisfies { [name: string]: PromptDefinition };
