/** The tools of tools.ts in zod, the schema library that every contender documents. */
import { z } from "zod";

export const echoInput = z.object({ text: z.string() });

export const sumInput = z.object({ a: z.number(), b: z.number() });

export const sumOutput = z.object({ sum: z.number() });

export const searchInput = z.object({
  query: z.string().describe("What to look for"),
  limit: z.number().int().min(1).max(100).optional().describe("How many hits to return"),
  order: z.enum(["newest", "oldest", "relevance"]).optional(),
  tags: z.array(z.string()).optional().describe("Only documents with all of these tags"),
});
