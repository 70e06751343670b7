import type { ToolAnnotations } from "@toolwire/server";
import { untrustedSchemaValidator } from "@toolwire/json-schema";
import { countBytes } from "../document/parse-document.ts";
import type { OperationModel } from "../document/model.ts";
import type { HttpMethod } from "../request/request-spec.ts";
import { assembleSchema } from "../schema/assemble.ts";
import type { SchemaConverter } from "../schema/convert.ts";
import { cleanLine } from "../schema/describe.ts";
import type { Texts } from "../schema/texts.ts";
import { typesOf } from "../schema/types.ts";
import { splitName } from "@toolwire/server/search/internal";
import { annotationsOf } from "../tool/operation-tool.ts";
import type { ArgumentPlan } from "./arguments.ts";
import type { ExtensionWishes } from "./extension.ts";
import type { ToolListing } from "./imported-operation.ts";
import type { ToolOverrides } from "./options.ts";

/** A listing, and what was changed to make it. */
export interface PlannedListing {
  readonly listing: ToolListing;
  readonly notes: readonly string[];
}

/** Makes the listing of a tool. A text is a reason why there can be no tool. */
export function makeListing(
  operation: OperationModel,
  plan: ArgumentPlan,
  converter: SchemaConverter,
  parts: { readonly name: string; readonly wishes: ExtensionWishes; readonly overrides: ToolOverrides },
): PlannedListing | string {
  const { schema, notes } = assembleSchema(plan.schema, plan.references, converter);
  try {
    untrustedSchemaValidator.compile(schema);
  } catch (error) {
    return `Its schema cannot be used: ${error instanceof Error ? error.message : String(error)}`;
  }
  const { name, wishes, overrides } = parts;
  const { title, description } = describe(operation, name, wishes, converter.texts);
  return {
    listing: {
      title: overrides.title ?? title,
      description: overrides.description ?? description,
      input: schema,
      annotations: annotate(operation.method as HttpMethod, wishes, overrides),
    },
    notes,
  };
}

function describe(
  { summary, description, method, path, isDeprecated }: OperationModel,
  name: string,
  wishes: ExtensionWishes,
  texts: Texts,
): Pick<ToolListing, "title" | "description"> {
  const title = texts.ofTitle(wishes.title ?? summary ?? "") || titleOf(name);
  const text =
    wishes.description === undefined
      ? texts.ofTool(summary ?? "", description ?? "")
      : texts.ofTool("", wishes.description);
  const shown = text || `${method} ${cleanLine(path, 200)}`;
  return { title, description: isDeprecated ? `Deprecated. ${shown}` : shown };
}

/** The name of a tool as a title: `create_customer` is "Create customer". */
function titleOf(name: string): string {
  const words = splitName(name).join(" ");
  return words === "" ? name : words[0]!.toUpperCase() + words.slice(1);
}

function annotate(method: HttpMethod, wishes: ExtensionWishes, overrides: ToolOverrides): ToolAnnotations {
  return { ...annotationsOf(method), ...wishes.annotations, ...overrides.annotations };
}

/**
 * The schema of the responses of an operation, if it describes an object. It is loose, because APIs return more and less than their
 * documents say: nothing is required, and anything may be added.
 */
export function makeOutput(
  { response, method, path }: OperationModel,
  converter: SchemaConverter,
): ToolListing["output"] {
  if (response === undefined) return undefined;
  const root = converter.convertRoot(response, `/paths/${path}/${method}/responses`);
  if (typeof root.schema === "boolean" || typesOf(root.schema).join() !== "object") return undefined;
  const { schema } = assembleSchema(root.schema, root.references, converter);
  try {
    untrustedSchemaValidator.compile(schema);
    return schema;
  } catch {
    return undefined;
  }
}

/** The size of a tool in a list of tools. */
export function measureListing(name: string, { title, description, input, output, annotations }: ToolListing): number {
  return countBytes(
    JSON.stringify({ name, title, description, inputSchema: input, outputSchema: output, annotations }),
  );
}
