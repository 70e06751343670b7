import type { Client } from "@toolwire/client";
import { isObject, type Prompt, type Resource, type ResourceTemplate, type Tool } from "@toolwire/protocol";
import type { VerbOptions } from "../command-line.ts";
import { ExitCode } from "../exit-codes.ts";
import type { Paint } from "../printing/paint.ts";
import { toJson, toPrintable } from "../printing/printable.ts";
import { summarizeSchema } from "../printing/schema-summary.ts";
import { withClient } from "./connection.ts";

interface Lists {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
}

/** Lists everything that a server offers, page by page. */
export function list(options: VerbOptions, paint: Paint): Promise<ExitCode> {
  return withClient(options, async (client) => {
    const lists = await readLists(client);
    console.log(options.json ? toJson(lists) : describeLists(lists, paint));
    return ExitCode.Success;
  });
}

async function readLists(client: Client): Promise<Lists> {
  const [tools, resources, resourceTemplates, prompts] = await Promise.all([
    collect(client.tools()),
    collect(client.resources()),
    collect(client.resourceTemplates()),
    collect(client.prompts()),
  ]);
  return { tools, resources, resourceTemplates, prompts };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function describeLists({ tools, resources, resourceTemplates, prompts }: Lists, paint: Paint): string {
  const sections: [string, readonly (readonly [string, string, string | undefined])[]][] = [
    ["Tools", tools.map(({ name, inputSchema, description }) => [name, summarizeSchema(inputSchema), description])],
    ["Resources", resources.map(({ uri, mimeType = "", description }) => [uri, mimeType, description])],
    [
      "Resource templates",
      resourceTemplates.map(({ uriTemplate, mimeType = "", description }) => [uriTemplate, mimeType, description]),
    ],
    ["Prompts", prompts.map((prompt) => [prompt.name, summarizeArguments(prompt), prompt.description])],
  ];
  return sections
    .map(([title, items]) => {
      const lines = items.map(([name, details, description]) => {
        const label = paint.cyan(toPrintable(name));
        const head = details === "" ? `  ${label}` : `  ${label} ${paint.dim(toPrintable(details))}`;
        return description === undefined ? head : `${head}\n      ${toPrintable(description)}`;
      });
      return [paint.bold(`${title} (${items.length})`), ...lines].join("\n");
    })
    .join("\n\n");
}

function summarizeArguments({ arguments: args = [] }: Prompt): string {
  // Items of lists are objects with a name; what is inside of them is not checked.
  const given = (Array.isArray(args) ? args : []).filter(isObject);
  const names = given.map(({ name, required }) => `${toPrintable(name)}${required === true ? "" : "?"}`);
  return names.length === 0 ? "" : `{ ${names.join(", ")} }`;
}
