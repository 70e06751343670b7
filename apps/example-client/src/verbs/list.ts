import type { Client } from "@toolwire/client";
import { isObject } from "@toolwire/protocol/internal";
import {
  ToolwireError,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type ServerCapabilities,
  type Tool,
} from "@toolwire/protocol";
import type { VerbOptions } from "../command-line.ts";
import { ExitCode } from "../exit-codes.ts";
import type { Paint } from "../printing/paint.ts";
import { toJson, toPrintable } from "../printing/printable.ts";
import { summarizeSchema } from "../printing/schema-summary.ts";
import { withClient } from "./connection.ts";
import { explainFailure, isConnectionLost, type Failure } from "./failure.ts";

/** One of a server's lists, as far as it could be read. */
interface Listing<T = unknown> {
  readonly method: string;
  /** Whether the server declares the feature, so that it was asked for the list. */
  readonly isAsked: boolean;
  readonly items: readonly T[];
  /** Why the list, or the rest of it, is missing. */
  readonly failure: ToolwireError | undefined;
}

interface Lists {
  readonly tools: Listing<Tool>;
  readonly resources: Listing<Resource>;
  readonly resourceTemplates: Listing<ResourceTemplate>;
  readonly prompts: Listing<Prompt>;
}

/**
 * Lists everything that a server offers, page by page. Many servers declare a feature and do not serve all of its lists,
 * so a list that fails is reported beside the others. The verb fails if nothing could be listed, or the connection ended.
 */
export function list(options: VerbOptions, paint: Paint): Promise<ExitCode> {
  return withClient(options, async (client) => {
    const lists = await readLists(client);
    const all: readonly Listing[] = Object.values(lists);
    const failures = all.flatMap(({ failure }) => failure ?? []);
    const [first] = failures;
    if (first !== undefined && !all.some(hasAnswered)) throw first;
    console.log(options.json ? toJson(toResults(lists)) : describeLists(lists, paint));
    return failures.some(isConnectionLost) ? ExitCode.ConnectionError : ExitCode.Success;
  });
}

async function readLists(client: Client): Promise<Lists> {
  const { capabilities } = client;
  const [tools, resources, resourceTemplates, prompts] = await Promise.all([
    collect(client.allTools(), "tools/list", capabilities.tools),
    collect(client.allResources(), "resources/list", capabilities.resources),
    collect(client.allResourceTemplates(), "resources/templates/list", capabilities.resources),
    collect(client.allPrompts(), "prompts/list", capabilities.prompts),
  ]);
  return { tools, resources, resourceTemplates, prompts };
}

async function collect<T>(
  source: AsyncIterable<T>,
  method: string,
  capability: ServerCapabilities[keyof ServerCapabilities],
): Promise<Listing<T>> {
  const items: T[] = [];
  const isAsked = capability !== undefined;
  try {
    for await (const item of source) items.push(item);
    return { method, isAsked, items, failure: undefined };
  } catch (error) {
    if (!(error instanceof ToolwireError)) throw error;
    return { method, isAsked, items, failure: error };
  }
}

function hasAnswered({ isAsked, items, failure }: Listing): boolean {
  return isAsked && (failure === undefined || items.length > 0);
}

/** The lists for programs. `errors` is there if one of them, or the rest of it, is missing. */
function toResults(lists: Lists): object {
  const results: Record<string, unknown> = {};
  const errors: Record<string, Failure["json"]> = {};
  for (const [name, { method, items, failure }] of Object.entries<Listing>({ ...lists })) {
    results[name] = items;
    if (failure !== undefined) errors[method] = explainFailure(failure).json;
  }
  return Object.keys(errors).length === 0 ? results : { ...results, errors };
}

type Line = readonly [name: string, details: string, description: string | undefined];

function describeLists({ tools, resources, resourceTemplates, prompts }: Lists, paint: Paint): string {
  return [
    describeList("Tools", tools, paint, ({ name, inputSchema, description }) => [
      name,
      summarizeSchema(inputSchema),
      description,
    ]),
    describeList("Resources", resources, paint, ({ uri, mimeType = "", description }) => [uri, mimeType, description]),
    describeList("Resource templates", resourceTemplates, paint, ({ uriTemplate, mimeType = "", description }) => [
      uriTemplate,
      mimeType,
      description,
    ]),
    describeList("Prompts", prompts, paint, (prompt) => [prompt.name, summarizeArguments(prompt), prompt.description]),
  ].join("\n\n");
}

function describeList<T>(title: string, listing: Listing<T>, paint: Paint, toLine: (item: T) => Line): string {
  const { items, failure } = listing;
  const lines = items.map((item) => {
    const [name, details, description] = toLine(item);
    const label = paint("cyan", toPrintable(name));
    const head = details === "" ? `  ${label}` : `  ${label} ${paint("dim", toPrintable(details))}`;
    return description === undefined ? head : `${head}\n      ${toPrintable(description)}`;
  });
  if (failure === undefined) return [paint("bold", `${title} (${items.length})`), ...lines].join("\n");
  const count = items.length === 0 ? "not listed" : `${items.length}, the rest not listed`;
  // A message may have several lines, and none of them is to look like the title of a list.
  const reason = explainFailure(failure).message.replaceAll("\n", "\n    ");
  return [paint("bold", `${title} (${count})`), ...lines, `  ${paint("red", reason)}`].join("\n");
}

function summarizeArguments({ arguments: args = [] }: Prompt): string {
  // Items of lists are objects with a name; what is inside of them is not checked.
  const given = (Array.isArray(args) ? args : []).filter(isObject);
  const names = given.map(({ name, required }) => `${toPrintable(name)}${required === true ? "" : "?"}`);
  return names.length === 0 ? "" : `{ ${names.join(", ")} }`;
}
