import { tool } from "@toolwire/server";
import { z } from "zod";
import { READ_ONLY } from "./hints.ts";

export const getSum = tool({
  title: "Sum",
  description: "Adds two numbers.",
  input: z.object({
    a: z.number().describe("First number"),
    b: z.number().describe("Second number"),
  }),
  annotations: READ_ONLY,
  run: ({ a, b }) => `The sum of ${a} and ${b} is ${a + b}.`,
});
