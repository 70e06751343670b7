import { tool } from "@toolwire/server";
import { z } from "zod";
import { READ_ONLY } from "./hints.ts";

export const echo = tool({
  title: "Echo",
  description: "Says what it was told.",
  input: z.object({ message: z.string().describe("What to say") }),
  annotations: READ_ONLY,
  run: ({ message }) => `Echo: ${message}`,
});
