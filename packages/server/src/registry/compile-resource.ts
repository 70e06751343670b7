import { UsageError, type Resource, type ResourceTemplate } from "@toolwire/protocol";
import { parseUriTemplate } from "@toolwire/protocol/uri-template";
import { defined } from "../definition/defined.ts";
import { expectDefinitionNames, type OptionNames } from "../definition/known-options.ts";
import { RESOURCE_HINTS } from "../definition/other-names.ts";
import type { Complete, FixedResourceOptions, ResourceInfo, ResourceTemplateOptions } from "../definition/resource.ts";
import { listWithMembers } from "./list-members.ts";
import type { CompiledResource, CompiledTemplate, RegisteredResources } from "./resources.ts";
import { holdsTraversal } from "./traversal.ts";

const INFO: OptionNames<ResourceInfo, typeof RESOURCE_HINTS> = {
  title: true,
  description: true,
  mimeType: true,
  annotations: true,
  icons: true,
  _meta: true,
};

const FIXED_OPTIONS: OptionNames<FixedResourceOptions, typeof RESOURCE_HINTS> = {
  uri: true,
  read: true,
  size: true,
  ...INFO,
};

const TEMPLATE_OPTIONS: OptionNames<ResourceTemplateOptions<string>, typeof RESOURCE_HINTS> = {
  template: true,
  list: true,
  read: true,
  complete: true,
  ...INFO,
};

/** Makes a resource with a URI of its own ready to be read. Throws a `UsageError` if it cannot be. */
export function compileFixedResource(
  options: FixedResourceOptions,
  name: string,
  order: number,
  { single }: RegisteredResources,
): CompiledResource {
  expectDefinitionNames("resource", name, options, FIXED_OPTIONS, RESOURCE_HINTS);
  expectRead(options);
  const { uri, size } = options;
  if (typeof uri !== "string" || !URI.test(uri)) {
    throw new UsageError(
      "INVALID_DEFINITION",
      `${JSON.stringify(uri)} is no URI: it starts with a scheme, such as "docs://readme" (RFC 3986), and spaces and the like are percent-encoded. For a family of resources, set \`template\`.`,
    );
  }
  expectFree(single, "URI", uri);
  const listing = defined<Resource>({ uri, name, ...listed(options), size });
  return { name, order, listing, read: (ctx) => options.read(ctx) };
}

/** Makes a family of resources ready to be read. Throws a `UsageError` if it cannot be. */
export function compileResourceTemplate(
  options: ResourceTemplateOptions<string>,
  name: string,
  order: number,
  { families }: RegisteredResources,
): CompiledTemplate {
  expectDefinitionNames("resource", name, options, TEMPLATE_OPTIONS, RESOURCE_HINTS);
  expectRead(options);
  const { template: uriTemplate } = options;
  const template = parseUriTemplate(uriTemplate);
  expectFree(families, "template", uriTemplate);
  const complete = new Map<string, Complete>();
  for (const [variable, suggest] of Object.entries(options.complete ?? {})) {
    if (suggest === undefined) continue;
    if (!template.variables.includes(variable)) {
      throw new UsageError(
        "INVALID_DEFINITION",
        `\`complete.${variable}\` completes a variable that the template does not have.`,
      );
    }
    complete.set(variable, suggest);
  }
  return {
    name,
    order,
    listing: defined<ResourceTemplate>({ uriTemplate, name, ...listed(options) }),
    variables: template.variables,
    complete,
    list: options.list && ((ctx) => options.list?.(ctx) ?? []),
    listAll: listWithMembers,
    match(uri) {
      const values = template.match(uri);
      return values === undefined || holdsTraversal(uriTemplate, uri, values) ? undefined : values;
    },
    expand: (values) => template.expand(values as Record<string, string>),
    read: (values, ctx) => options.read(values as never, ctx),
  };
}

/** A scheme, and then whatever RFC 3986 allows. */
const URI = /^[a-z][a-z\d+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})*$/i;

function expectRead(options: { read?: unknown }): void {
  if (typeof options.read === "function") return;
  throw new UsageError("INVALID_DEFINITION", "`read` is missing: give the function that returns the contents.");
}

function expectFree(taken: ReadonlyMap<string, unknown>, what: string, place: string): void {
  if (!taken.has(place)) return;
  throw new UsageError("DUPLICATE_NAME", `There is a resource with the ${what} ${place} already: each needs its own.`);
}

function listed({
  title,
  description,
  mimeType,
  annotations,
  icons,
  _meta,
}: ResourceInfo): Omit<ResourceInfo, keyof typeof RESOURCE_HINTS> {
  return { title, description, mimeType, annotations, icons, _meta };
}
