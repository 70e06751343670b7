import type { Client } from "@toolwire/client";
import type { JsonSchema, Tool } from "@toolwire/protocol";
import { untrustedSchemaValidator } from "@toolwire/json-schema";
import { attempt, type StepOutcome, type StepOutcomes, type StepRun } from "./outcomes.ts";

/** The steps that our client takes with servers that it has no script for. */
export const SURVEY_STEPS = ["tools", "schemas", "resources", "templates", "prompts", "calls", "end"] as const;

/** A call that is answered without a network, and a part of the answer. */
export interface SurveyCall {
  readonly tool: string;
  readonly args: { readonly [name: string]: unknown };
  readonly text: string;
  /** Whether the result has `isError`, as with tools that need a network. Default false. */
  readonly isError?: boolean;
}

type SurveyStep = Exclude<(typeof SURVEY_STEPS)[number], "end">;

/** Lists everything that a server declares, compiles all schemas, and makes the calls. */
export async function runSurvey(
  client: Client,
  calls: readonly SurveyCall[],
  knownToFail: readonly string[],
): Promise<StepOutcomes> {
  const { capabilities } = client;
  let tools: readonly Tool[] = [];
  const steps: { readonly [S in SurveyStep]: StepRun | undefined } = {
    tools: async () => {
      tools = await collect(client.allTools());
      if (tools.length === 0) throw new Error("there are no tools");
    },
    schemas: () => compileAll(tools),
    resources: capabilities.resources && (() => collect(client.allResources())),
    templates: capabilities.resources && (() => collect(client.allResourceTemplates())),
    prompts: capabilities.prompts && (() => collect(client.allPrompts())),
    calls: calls.length === 0 ? undefined : () => callAll(client, calls),
  };
  const outcomes: { [step: string]: StepOutcome } = {};
  for (const [step, run] of Object.entries(steps)) {
    outcomes[step] = run === undefined ? "impossible" : await attempt(run, knownToFail.includes(step));
  }
  return outcomes;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Compiles the schemas with the validator that the client uses for untrusted servers. */
function compileAll(tools: readonly Tool[]): void {
  for (const { name, inputSchema, outputSchema } of tools) {
    for (const schema of [inputSchema, outputSchema]) {
      try {
        if (schema !== undefined) untrustedSchemaValidator.compile(schema as JsonSchema);
      } catch (error) {
        throw new Error(`a schema of the tool ${name} cannot be used: ${(error as Error).message}`, { cause: error });
      }
    }
  }
}

async function callAll(client: Client, calls: readonly SurveyCall[]): Promise<void> {
  for (const { tool, args, text, isError = false } of calls) {
    const result = await client.callTool(tool, args);
    const answer = JSON.stringify(result.content);
    const given = `${tool} answered ${answer.slice(0, 300)}`;
    if ((result.isError === true) !== isError) throw new Error(`${given}, which is ${isError ? "no" : "an"} error`);
    if (!answer.includes(text)) throw new Error(`${given}, which does not contain ${text}`);
  }
}
