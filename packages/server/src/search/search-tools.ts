import { jsonSchema } from "@toolwire/json-schema";
import { findNearestName } from "@toolwire/json-schema/internal";
import type { Context } from "../define/context.ts";
import { tool, type ToolDefinition } from "../define/tool.ts";
import { ToolError } from "../errors.ts";
import { DefinedTools } from "./defined-tools.ts";
import type { TextEmbedder } from "./embedding.ts";
import { writeArguments } from "./signature.ts";
import type { FoundTool, ToolProvider } from "./tool-provider.ts";
import { ToolSearcher } from "./tool-searcher.ts";

/** The names of the tools of search mode. */
export const SEARCH_TOOL_NAMES = ["search_tools", "describe_tool", "call_tool"] as const;

/** The tools of search mode. */
export type SearchTools = Record<(typeof SEARCH_TOOL_NAMES)[number], ToolDefinition>;

/** The tools that one search returns, and the most of them. */
const FOUND = 5;
const MAX_FOUND = 20;

/** The most characters of a description in the results of a search. */
const MAX_SUMMARY = 200;

/** The options of {@link searchTools}. */
export interface SearchToolsOptions {
  /**
   * Finds tools by meaning, too. What both ways find counts most. If it fails, the words alone decide, and clients that want warnings
   * get one.
   */
  readonly embedder?: TextEmbedder | undefined;
}

/**
 * Makes three tools that stand for any number of tools: one to find them by words, one to show how a tool is called, and one to call
 * it. A model then reads about the few tools it needs instead of all.
 *
 * Applications that ask their users before a call see `call_tool` only, whichever tool is called by it.
 *
 * @example
 * ```ts
 * const server = createServer({ name: "everything", version: "1.0.0", tools: searchTools(tools) });
 * ```
 */
export function searchTools(
  tools: { readonly [name: string]: ToolDefinition } | ToolProvider,
  { embedder }: SearchToolsOptions = {},
): SearchTools {
  const provider = isProvider(tools) ? tools : new DefinedTools(tools);
  const searcher = new ToolSearcher<FoundTool>(embedder);
  return {
    search_tools: tool({
      description:
        "Finds tools by words that say what to do, such as 'create invoice'. Returns names, summaries and arguments, the best first. " +
        "Describe a tool before its first call if its arguments have '…' or 'any'.",
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      input: SEARCH_INPUT,
      async run({ query, limit = FOUND }, ctx) {
        const all = await provider.list(ctx);
        const found = await searcher.search(all, query, limit, ctx);
        if (found.length === 0) return `None of ${all.length} tools fits. Try other or fewer words.`;
        return JSON.stringify(found.map(summarize));
      },
    }),
    describe_tool: tool({
      description: "Shows what a tool does, and the JSON Schema of its arguments.",
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      input: DESCRIBE_INPUT,
      async run({ name }, ctx) {
        const { title, description, inputSchema, annotations } = await findTool(provider, name, ctx);
        return JSON.stringify({ name, title, description, inputSchema, annotations });
      },
    }),
    call_tool: tool({
      description: "Calls a tool that search_tools has found, with arguments as it or describe_tool shows them.",
      annotations: { openWorldHint: true },
      input: CALL_INPUT,
      middleware: provider.middleware === undefined ? undefined : [provider.middleware],
      async run({ name, arguments: args = {} }, ctx) {
        await findTool(provider, name, ctx);
        return provider.call(name, args, ctx);
      },
    }),
  };
}

const SEARCH_INPUT = jsonSchema<{ query: string; limit?: number }>({
  type: "object",
  properties: {
    query: { type: "string", description: "Words that say what the tool should do", minLength: 1, maxLength: 500 },
    limit: { type: "integer", minimum: 1, maximum: MAX_FOUND },
  },
  required: ["query"],
  additionalProperties: false,
});

const DESCRIBE_INPUT = jsonSchema<{ name: string }>({
  type: "object",
  properties: { name: { type: "string", description: "The name of the tool" } },
  required: ["name"],
  additionalProperties: false,
});

const CALL_INPUT = jsonSchema<{ name: string; arguments?: { [argument: string]: unknown } }>({
  type: "object",
  properties: {
    name: { type: "string", description: "The name of the tool" },
    arguments: { type: "object", description: "The arguments of the tool" },
  },
  required: ["name"],
  additionalProperties: false,
});

/** A provider has functions where an object of tools has definitions. */
function isProvider(tools: object): tools is ToolProvider {
  return (
    typeof (tools as Partial<ToolProvider>).list === "function" &&
    typeof (tools as Partial<ToolProvider>).call === "function"
  );
}

async function findTool(provider: ToolProvider, name: string, ctx: Context): Promise<FoundTool> {
  const all = await provider.list(ctx);
  const found = all.find((each) => each.name === name);
  if (found !== undefined) return found;
  const near = findNearestName(
    name,
    all.map((each) => each.name),
  );
  throw new ToolError(
    `Unknown tool: ${name.slice(0, 128)}. ${near === undefined ? "Find it with search_tools." : `Did you mean "${near}"?`}`,
  );
}

/** What a search says of a tool: enough to call it at once. */
function summarize({ name, title, description, inputSchema }: FoundTool): object {
  return { name, title, description: shorten(description), arguments: writeArguments(inputSchema) };
}

function shorten(description: string | undefined): string | undefined {
  if (description === undefined || description.length <= MAX_SUMMARY) return description;
  return `${description.slice(0, MAX_SUMMARY).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
