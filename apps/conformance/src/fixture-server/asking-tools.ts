import { tool, type Context, type ToolDefinition } from "@toolwire/server";
import { z } from "zod";

const nameForm = { message: "What is your name?", schema: z.object({ name: z.string() }) };

function sampleText(ctx: Context, key: string, prompt: string): Promise<string> {
  return ctx
    .sample(key, { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 100 })
    .then(({ model }) => `The model ${model} has answered.`);
}

/** Tools that ask the client while they run, in whichever way its era has. */
export const askingTools = {
  test_sampling: tool({
    description: "Asks the client's model",
    input: z.object({ prompt: z.string() }),
    run: ({ prompt }, ctx) => sampleText(ctx, "answer", prompt),
  }),
  test_elicitation: tool({
    description: "Asks the user for a name and an address",
    input: z.object({ message: z.string() }),
    async run({ message }, ctx) {
      const schema = z.object({ username: z.string(), email: z.string() });
      const answer = await ctx.tryElicit("user", { message, schema });
      return `The user's choice: ${answer.action}`;
    },
  }),
  test_elicitation_sep1034_defaults: tool({
    description: "Asks with a default for each kind of field",
    async run(_args, ctx) {
      const schema = z.object({
        name: z.string().default("John Doe"),
        age: z.int().default(30),
        score: z.number().default(95.5),
        status: z.enum(["active", "inactive", "pending"]).default("active"),
        verified: z.boolean().default(true),
      });
      const answer = await ctx.tryElicit("profile", { message: "Please check your profile.", schema });
      return `The user's choice: ${answer.action}`;
    },
  }),
  test_elicitation_sep1330_enums: tool({
    description: "Asks with each kind of choice",
    async run(_args, ctx) {
      const schema = {
        type: "object",
        properties: {
          untitledSingle: { type: "string", enum: ["one", "two", "three"] },
          titledSingle: {
            type: "string",
            oneOf: [
              { const: "one", title: "The first" },
              { const: "two", title: "The second" },
            ],
          },
          legacyEnum: { type: "string", enum: ["one", "two"], enumNames: ["The first", "The second"] },
          untitledMulti: { type: "array", items: { type: "string", enum: ["one", "two", "three"] } },
          titledMulti: {
            type: "array",
            items: {
              anyOf: [
                { const: "one", title: "The first" },
                { const: "two", title: "The second" },
              ],
            },
          },
        },
      } as const;
      const answer = await ctx.tryElicit("choices", { message: "Please choose.", schema });
      return `The user's choice: ${answer.action}`;
    },
  }),
  test_missing_capability: tool({
    description: "Cannot do without sampling",
    run: (_args, ctx) => sampleText(ctx, "answer", "Say something."),
  }),
  test_streaming_elicitation: tool({
    description: "Asks the user after it has reported progress",
    async run(_args, ctx) {
      ctx.progress(1, 2);
      const { name } = await ctx.elicit("user", nameForm);
      return `Hello, ${name}!`;
    },
  }),
} as const satisfies { [name: string]: ToolDefinition };

/** Tools for the rounds of questions and answers that the modern era has. */
export const roundTools = {
  test_input_required_result_elicitation: tool({
    description: "Asks the user for a name",
    async run(_args, ctx) {
      const { name } = await ctx.elicit("user_name", nameForm);
      return `Hello, ${name}!`;
    },
  }),
  test_input_required_result_sampling: tool({
    description: "Asks the client's model",
    run: (_args, ctx) => sampleText(ctx, "capital", "What is the capital of France?"),
  }),
  test_input_required_result_list_roots: tool({
    description: "Asks for the client's roots",
    async run(_args, ctx) {
      const roots = await ctx.roots();
      return `The client works in ${roots.length} places.`;
    },
  }),
  test_input_required_result_request_state: tool({
    description: "Remembers between rounds what it did in the first",
    async run(_args, ctx) {
      const ticket = await ctx.once("ticket", () => "T-1");
      const { confirmed } = await ctx.elicit("confirm", {
        message: `Go on with ${ticket}?`,
        schema: z.object({ confirmed: z.boolean().optional() }),
      });
      return `${ticket}: ${confirmed === true ? "confirmed" : "left open"}`;
    },
  }),
  test_input_required_result_multiple_inputs: tool({
    description: "Asks three things at once",
    async run(_args, ctx) {
      const [{ name }, greeting, roots] = await Promise.all([
        ctx.elicit("user_name", nameForm),
        sampleText(ctx, "greeting", "Make up a greeting."),
        ctx.roots("roots"),
      ]);
      return `${name}, ${roots.length} roots. ${greeting}`;
    },
  }),
  test_input_required_result_multi_round: tool({
    description: "Asks one thing after the other",
    async run(_args, ctx) {
      const { name } = await ctx.elicit("step1", nameForm);
      const { color } = await ctx.elicit("step2", {
        message: `What is your favourite colour, ${name}?`,
        schema: z.object({ color: z.string() }),
      });
      return `${name} likes ${color}.`;
    },
  }),
  test_input_required_result_tampered_state: tool({
    description: "Refuses state that was changed on the way",
    async run(_args, ctx) {
      await ctx.tryElicit("confirm", { message: "Go on?", schema: z.object({ ok: z.boolean().optional() }) });
      return "The state came back as it was.";
    },
  }),
  test_input_required_result_capabilities: tool({
    description: "Asks only what the client can answer",
    async run(_args, ctx) {
      const { elicitation, sampling, roots } = ctx.clientCapabilities;
      const answers = await Promise.all([
        elicitation && ctx.elicit("user_name", nameForm).then(({ name }) => name),
        sampling && sampleText(ctx, "greeting", "Make up a greeting."),
        roots && ctx.roots("roots").then(({ length }) => `${length} roots`),
      ]);
      return `Answers: ${answers.filter((answer) => answer !== undefined).join(", ")}`;
    },
  }),
} as const satisfies { [name: string]: ToolDefinition };
