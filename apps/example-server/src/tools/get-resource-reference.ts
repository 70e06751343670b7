import { embeddedResource, tool } from "@toolwire/server";
import { z } from "zod";
import { numberedResource, RESOURCE_TYPES } from "../resources/numbered-resources.ts";
import { READ_ONLY } from "./hints.ts";

export const getResourceReference = tool({
  title: "Resource reference",
  description: "Answers with a resource and what is in it.",
  input: z.object({
    resourceType: z.enum(RESOURCE_TYPES).default("Text").describe("Text or bytes"),
    resourceId: z.int().min(1).max(999_999_999).default(1).describe("Which one, from 1 on"),
  }),
  annotations: READ_ONLY,
  run({ resourceType, resourceId }) {
    const found = numberedResource(resourceType, resourceId);
    return [`This is resource ${resourceId}:`, embeddedResource(found), `To read it again, use its URI: ${found.uri}`];
  },
});
