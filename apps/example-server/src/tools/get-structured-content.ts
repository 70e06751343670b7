import { tool } from "@toolwire/server";
import { z } from "zod";
import { READ_ONLY } from "./hints.ts";

const WEATHER = {
  "New York": { temperature: 33, conditions: "Cloudy", humidity: 82 },
  Chicago: { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 },
  "Los Angeles": { temperature: 73, conditions: "Sunny / Clear", humidity: 48 },
} as const;

export const getStructuredContent = tool({
  title: "Structured content",
  description: "Answers with data that fits an output schema: the simulated weather of one of three cities.",
  input: z.object({
    location: z.enum(["New York", "Chicago", "Los Angeles"]).describe("Which city"),
  }),
  // The result of `run` is checked against this, and sent twice: as data for programs, as text for models.
  output: z.object({
    temperature: z.number().describe("Temperature"),
    conditions: z.string().describe("What the sky looks like"),
    humidity: z.number().describe("Humidity in percent"),
  }),
  annotations: READ_ONLY,
  run: ({ location }) => WEATHER[location],
});
