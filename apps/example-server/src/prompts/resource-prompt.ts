import { embeddedResource, prompt, text } from "@toolwire/server";
import { z } from "zod";
import { isNumber, numberedResource, RESOURCE_TYPES, suggestNumbers } from "../resources/numbered-resources.ts";

export const resourcePrompt = prompt({
  title: "Prompt with a resource",
  description: "Asks about a numbered resource, and brings it along.",
  // Arguments of prompts are text; a schema can check that text, as it does here, or turn it into something else.
  arguments: z.object({
    resourceType: z.enum(RESOURCE_TYPES).describe("Text or Blob"),
    resourceId: z.string().refine(isNumber, "expected a whole number from 1 on").describe("Which one, from 1 on"),
  }),
  complete: {
    resourceType: (typed) => RESOURCE_TYPES.filter((type) => type.toLowerCase().startsWith(typed.toLowerCase())),
    resourceId: suggestNumbers,
  },
  get: ({ resourceType, resourceId }) => [
    { role: "user", content: text(`What does resource ${resourceId} say?`) },
    { role: "user", content: embeddedResource(numberedResource(resourceType, Number(resourceId))) },
  ],
});
