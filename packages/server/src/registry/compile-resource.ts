import { type Resource, type ResourceTemplate, UsageError } from "@toolwire/protocol";
import type { OptionNames } from "@toolwire/protocol/internal";
import { parseUriTemplate } from "@toolwire/protocol/uri-template";
import { defined, expectDefinitionNames } from "../define/check-options.ts";
import type { Context } from "../define/context.ts";
import { RESOURCE_HINTS } from "../define/other-names.ts";
import {
  expectOnePlace,
  type Complete,
  type FixedResourceDefinition,
  type FixedResourceOptions,
  type ListedResource,
  type ReadReturn,
  type ResourceDefinition,
  type ResourceInfo,
  type ResourceTemplateDefinition,
  type ResourceTemplateOptions,
} from "../define/resource.ts";
import { scopesOf } from "../define/scopes.ts";
import type { Awaitable } from "../define/tool.ts";
import type { Entry } from "./registry.ts";

/** Matches paths that leave their directory, or that a file system reads differently than the URI says. */
const SUSPICIOUS = /(?:^|[/\\])\.\.(?:$|[/\\])|\0/;
const SUSPICIOUS_BELOW = new RegExp(String.raw`${SUSPICIOUS.source}|^(?:[/\\]|[a-z]:)`, "i");

/**
 * Whether the values of a `file:` template could lead out of the directory they are meant for, once a handler joins
 * them to a path (resources page, security considerations). Such URIs are treated as if nothing was there.
 */
export function holdsTraversal(template: string, uri: string, values: object): boolean {
  if (!/^file:/i.test(uri)) return false;
  // If the template names a directory, an absolute path would replace it: `path.resolve` drops everything before one.
  const pattern = /^file:\/*\{/i.test(template) ? SUSPICIOUS : SUSPICIOUS_BELOW;
  return holds(values, pattern);
}

function holds(value: unknown, pattern: RegExp): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some((item) => holds(item, pattern));
  return typeof value === "string" && pattern.test(value);
}

const INFO: OptionNames<ResourceInfo, typeof RESOURCE_HINTS> = {
  title: true,
  description: true,
  mimeType: true,
  annotations: true,
  icons: true,
  scopes: true,
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

/** Makes a resource, or a family of them, ready to be read. Throws a `UsageError` if the definition is invalid. */
export function compileResource(
  definition: ResourceDefinition,
  name: string,
  order: number,
): CompiledResource | CompiledTemplate {
  expectOnePlace(definition);
  return definition.template === undefined
    ? compileFixedResource(definition, name, order)
    : compileResourceTemplate(definition, name, order);
}

function compileFixedResource(options: FixedResourceDefinition, name: string, order: number): CompiledResource {
  expectDefinitionNames("resource", name, options, FIXED_OPTIONS, RESOURCE_HINTS);
  expectRead(options);
  const { uri, size } = options;
  if (typeof uri !== "string" || !URI.test(uri)) {
    throw new UsageError(
      "INVALID_DEFINITION",
      `${JSON.stringify(uri)} is no URI: it starts with a scheme, such as "docs://readme" (RFC 3986), and spaces and the like are percent-encoded. For a family of resources, set \`template\`.`,
    );
  }
  const listing = defined<Resource>({ uri, name, ...listed(options), size });
  return { name, order, listing, scopes: scopesOf(options), read: (ctx) => options.read(ctx) };
}

function compileResourceTemplate(options: ResourceTemplateDefinition, name: string, order: number): CompiledTemplate {
  expectDefinitionNames("resource", name, options, TEMPLATE_OPTIONS, RESOURCE_HINTS);
  expectRead(options);
  const { template: uriTemplate } = options;
  const template = parseUriTemplate(uriTemplate);
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
    scopes: scopesOf(options),
    variables: template.variables,
    complete,
    list: options.list && ((ctx) => options.list?.(ctx) ?? []),
    match(uri) {
      const values = template.match(uri);
      return values === undefined || holdsTraversal(uriTemplate, uri, values) ? undefined : values;
    },
    expand: (values) => template.expand(values as Record<string, string>),
    read: (values, ctx) => options.read(values as never, ctx),
  };
}

/** A scheme, followed by the characters that RFC 3986 allows. */
const URI = /^[a-z][a-z\d+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})*$/i;

function expectRead(options: { read?: unknown }): void {
  if (typeof options.read === "function") return;
  throw new UsageError("INVALID_DEFINITION", "`read` is missing: give the function that returns the contents.");
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

/** A resource that is ready to be read. */
export interface CompiledResource extends Entry {
  readonly listing: Resource;
  readonly scopes: readonly string[] | undefined;
  read(ctx: Context): Awaitable<ReadReturn>;
}

/** A family of resources that is ready to be read. */
export interface CompiledTemplate extends Entry {
  readonly listing: ResourceTemplate;
  readonly scopes: readonly string[] | undefined;
  /** The variables of its template. */
  readonly variables: readonly string[];
  readonly complete: ReadonlyMap<string, Complete>;
  readonly list: ((ctx: Context) => Awaitable<readonly ListedResource[]>) | undefined;
  /** The values of the variables in a URI; `undefined` if it does not belong to the family. */
  match(uri: string): object | undefined;
  /** The URI with these values. */
  expand(values: object): string;
  read(values: object, ctx: Context): Awaitable<ReadReturn>;
}
