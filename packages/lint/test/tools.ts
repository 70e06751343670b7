import type { JsonSchemaObject, Tool } from "@toolwire/client";
import { lintTools, type Finding, type LintOptions } from "../src/index.ts";

/** A tool that no rule objects to. */
export const GOOD: Tool = {
  name: "get_weather",
  description: "Current weather of a city: temperature and wind.",
  inputSchema: {
    type: "object",
    properties: { city: { type: "string", description: "Name of the city, such as London" } },
    required: ["city"],
  },
};

/** A good tool with another input. */
export function withInput(input: object): Tool {
  return { ...GOOD, inputSchema: input as Tool["inputSchema"] };
}

/** A good tool with another schema of its one property. */
export function withProperty(schema: JsonSchemaObject | true): Tool {
  return withInput({ type: "object", properties: { value: schema } });
}

/** The findings of one rule about one tool. */
export function found(rule: string, tool: Tool, options?: LintOptions): readonly Finding[] {
  return lintTools([tool], options).filter((finding) => finding.rule === rule);
}
