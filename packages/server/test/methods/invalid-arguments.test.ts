import type { AnySchema } from "@toolwire/protocol";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { expect, test } from "vitest";
import { z } from "zod";
import { createServer, prompt, tool } from "../../src/index.ts";
import { ModernClient } from "../wire-client.ts";

/** The same arguments, as each library has them. */
const INPUTS: Readonly<Record<string, AnySchema>> = {
  zod: z.strictObject({ city: z.string(), days: z.int(), units: z.enum(["imperial", "metric"]).optional() }),
  valibot: toStandardJsonSchema(
    v.strictObject({
      city: v.string(),
      days: v.pipe(v.number(), v.integer()),
      units: v.optional(v.picklist(["imperial", "metric"])),
    }),
  ),
  arktype: type({ "+": "reject", city: "string", days: "number.integer", "units?": "'imperial' | 'metric'" }),
  "plain JSON Schema": {
    type: "object",
    properties: {
      city: { type: "string" },
      days: { type: "integer" },
      units: { type: "string", enum: ["imperial", "metric"] },
    },
    required: ["city", "days"],
    additionalProperties: false,
  },
};

test.each(Object.entries(INPUTS))("a tool with arguments by %s says of mistakes what all say", async (_, input) => {
  const forecast = tool({ input, run: () => "sunny" });
  const client = new ModernClient(createServer({ name: "weather", version: "1", tools: { forecast } }));
  const given = { days: "3", units: "kelvin", citty: "Oslo" };
  // Twice: the first time, what finds the words is loaded.
  for (let round = 0; round < 2; round++) {
    const { isError, content } = await client.callTool("forecast", given);
    const [heading, ...issues] = (content as [{ text: string }])[0].text.split("\n");
    expect([isError, heading]).toEqual([true, 'Invalid arguments for tool "forecast":']);
    expect(issues.toSorted()).toEqual([
      '- citty: unknown property; did you mean "city"?',
      "- city: missing required field (string)",
      '- days: expected integer, got string "3"',
      '- units: expected "imperial" or "metric", got "kelvin"',
    ]);
  }
});

test("a prompt with arguments by a library says the same", async () => {
  const schema = z.object({ city: z.string().min(2) });
  const greet = prompt({ arguments: schema, get: () => "Hi" });
  const client = new ModernClient(createServer({ name: "weather", version: "1", prompts: { greet } }));
  await expect(client.request("prompts/get", { name: "greet", arguments: {} })).rejects.toMatchObject({
    code: -32602,
    message: 'Invalid arguments for prompt "greet":\n- city: missing required field (string)',
  });
});

test("a validator of one's own finds the words for libraries as well", async () => {
  const validator = {
    compile: () => () => ({ ok: false as const, issues: [{ path: "n", kind: "type" as const, message: "nope" }] }),
  };
  const count = tool({ input: z.object({ n: z.number() }), run: () => "counted" });
  const client = new ModernClient(createServer({ name: "c", version: "1", tools: { count }, validator }));
  const { content } = await client.callTool("count", { n: "1" });
  expect(content).toEqual([{ type: "text", text: 'Invalid arguments for tool "count":\n- n: nope' }]);
});
