import { resourceLink, tool } from "@toolwire/server";
import { z } from "zod";
import { numberedResource, type ResourceType } from "../resources/numbered-resources.ts";
import { READ_ONLY } from "./hints.ts";

export const getResourceLinks = tool({
  title: "Resource links",
  description: "Answers with links to resources, which the client can read if it wants to.",
  input: z.object({ count: z.int().min(1).max(10).default(3).describe("How many links, from 1 to 10") }),
  annotations: READ_ONLY,
  run({ count }) {
    const links = Array.from({ length: count }, (_, index) => {
      const number = index + 1;
      const type: ResourceType = number % 2 === 0 ? "Text" : "Blob";
      const { uri, mimeType } = numberedResource(type, number);
      return resourceLink({
        uri,
        mimeType,
        name: `${type} resource ${number}`,
        description: "Made up from its number.",
      });
    });
    return [`Here are ${count} links to resources of this server:`, ...links];
  },
});
