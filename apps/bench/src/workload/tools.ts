/**
 * The tools every contender serves, as plain JSON Schema: `raw` answers `tools/list` with them and needs no schema
 * library for it. The others build the same schemas with zod (zod-schemas.ts); a test holds the two together.
 */

/** One entry of a `tools/list` answer. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObjectSchema;
  readonly outputSchema?: JsonObjectSchema;
}

/** A JSON Schema of an object, as far as the benchmark's tools need one. */
export type JsonObjectSchema = {
  readonly type: "object";
  readonly properties: Readonly<Record<string, { readonly [keyword: string]: JsonKeyword }>>;
  readonly required: readonly string[];
};

type JsonKeyword = string | number | readonly string[] | { readonly [keyword: string]: JsonKeyword };

export const echoTool = {
  name: "echo",
  description: "Returns the text it is given.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
} as const satisfies ListedTool;

export const sumTool = {
  name: "sum",
  description: "Adds two numbers.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
} as const satisfies ListedTool;

/** The tools around `echo` and `sum` where a scenario asks for more: a search of an everyday size. */
export const searchInputSchema: JsonObjectSchema = {
  type: "object",
  properties: {
    query: { type: "string", description: "What to look for" },
    limit: { type: "integer", minimum: 1, maximum: 100, description: "How many hits to return" },
    order: { type: "string", enum: ["newest", "oldest", "relevance"] },
    tags: { type: "array", items: { type: "string" }, description: "Only documents with all of these tags" },
  },
  required: ["query"],
};

/** The names of the first `count` tools: `echo`, `sum`, then searches. */
export function nameTools(count: number): string[] {
  const names: string[] = [echoTool.name, sumTool.name];
  for (let i = names.length; i < count; i++) names.push(`search_${String(i).padStart(4, "0")}`);
  return names.slice(0, count);
}

/** The description of a search tool. */
export function describeSearch(name: string): string {
  return `Searches the documents of collection ${name} and returns the best hits.`;
}

/** The first `count` tools as `tools/list` shows them. */
export function listTools(count: number): ListedTool[] {
  return nameTools(count).map((name) => {
    if (name === echoTool.name) return echoTool;
    if (name === sumTool.name) return sumTool;
    return { name, description: describeSearch(name), inputSchema: searchInputSchema };
  });
}
