import { type Resource, type ResourceTemplate, UsageError } from "@toolwire/protocol";
import { parseUriTemplate } from "@toolwire/protocol/uri-template";
import { defined, expectDefinitionNames, expectOption, type OptionNames } from "../define/check-options.ts";
import { RESOURCE_HINTS } from "../define/other-names.ts";
import type {
  Complete,
  FixedResourceOptions,
  ListedResource,
  ReadReturn,
  ResourceDefinition,
  ResourceInfo,
  ResourceTemplateOptions,
} from "../define/resource.ts";
import type { Awaitable } from "../define/tool.ts";
import type { Context } from "../define/context.ts";
import type { UpdateOptions } from "../define/server.ts";
import { isPrincipal } from "../origin.ts";
import type { ResourceChange } from "../subscriptions/subscriptions.ts";
import { ListPages, type ListSettings } from "./pages.ts";
import { Registry, type Entry } from "./registry.ts";

/** A path that leaves its directory, or that the file system would read differently than the URI says. */
const SUSPICIOUS = /(?:^|[/\\])\.\.(?:$|[/\\])|\0/;
const SUSPICIOUS_BELOW = new RegExp(String.raw`${SUSPICIOUS.source}|^(?:[/\\]|[a-z]:)`, "i");

/**
 * Whether the values of a `file:` template could lead out of the directory they are meant for, once a handler joins
 * them to a path (resources page, security considerations). Such URIs are treated as if nothing was there.
 */
export function holdsTraversal(template: string, uri: string, values: object): boolean {
  if (!/^file:/i.test(uri)) return false;
  // Where the template names a directory, an absolute path would replace it: `path.resolve` forgets what came before.
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

/** A resource that is ready to be read. */
export interface CompiledResource extends Entry {
  readonly listing: Resource;
  read(ctx: Context): Awaitable<ReadReturn>;
}

/** A family of resources that is ready to be read. */
export interface CompiledTemplate extends Entry {
  readonly listing: ResourceTemplate;
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

/** What is registered, as a resource sees it while it is made ready, and a family when it is listed. */
export interface RegisteredResources {
  readonly settings: ListSettings;
  readonly lastOrder: number;
  /** The resources with a URI of their own, by that. */
  readonly single: ReadonlyMap<string, CompiledResource>;
  /** The others, by template. */
  readonly families: ReadonlyMap<string, CompiledTemplate>;
}

/** A resource that serves a URI, and how to read it. */
export interface LocatedResource {
  /** The name under which it, or its family, is defined. */
  readonly name: string;
  readonly mimeType: string | undefined;
  /** The values of the variables in its family's template. */
  readonly values: object | undefined;
  /** The one URI for all ways to write it. Percent-encodings and the order of parameters do not change it. */
  canonicalUri(): string;
  read(ctx: Context): Awaitable<ReadReturn>;
}

/** The resources of a server, single ones and families. */
export class ResourceRegistry
  extends Registry<ResourceDefinition, CompiledResource | CompiledTemplate>
  implements RegisteredResources
{
  readonly single: Map<string, CompiledResource> = new Map<string, CompiledResource>();
  readonly families: Map<string, CompiledTemplate> = new Map<string, CompiledTemplate>();
  readonly templatePages: ListPages;
  readonly #onUpdate: (change: ResourceChange) => void;

  constructor(
    settings: ListSettings,
    templateSettings: ListSettings,
    onChange: () => void,
    onUpdate: (change: ResourceChange) => void,
  ) {
    super("resource", settings, onChange);
    const kind = { method: "resources/templates/list", member: "resourceTemplates" } as const;
    this.templatePages = new ListPages(kind, templateSettings, () => this.families.values());
    this.#onUpdate = onUpdate;
  }

  /** Tells everybody who watches this resource, or one caller who does, that its contents have changed. */
  updated(uri: string, options: UpdateOptions = {}): void {
    if (!("principal" in options)) return this.#onUpdate({ uri });
    const { principal } = options;
    const isFine = principal === undefined || isPrincipal(principal);
    expectOption("principal", principal, isFine, 'an object with an `id`, such as { id: "ada" }');
    this.#onUpdate({ uri, only: { id: principal?.id } });
  }

  /** The resource of a URI: one with this very URI first, then the first family that it belongs to. */
  locate(uri: string): LocatedResource | undefined {
    const own = this.single.get(uri);
    if (own !== undefined) {
      const { name, listing } = own;
      return {
        name,
        mimeType: listing.mimeType,
        values: undefined,
        canonicalUri: () => uri,
        read: (ctx) => own.read(ctx),
      };
    }
    for (const family of this.families.values()) {
      const values = family.match(uri);
      if (values === undefined) continue;
      const { name, listing } = family;
      return {
        name,
        mimeType: listing.mimeType,
        values,
        canonicalUri: () => family.expand(values),
        read: (ctx) => family.read(values, ctx),
      };
    }
    return undefined;
  }

  protected override listed(): Iterable<CompiledResource> {
    return this.single.values();
  }

  protected override compile(
    name: string,
    definition: ResourceDefinition,
    order: number,
  ): CompiledResource | CompiledTemplate {
    return definition["~compile"](name, order, this);
  }

  protected override changed(entry: CompiledResource | CompiledTemplate, isAdded: boolean): void {
    this.templatePages.changed(entry);
    const isFamily = "match" in entry;
    const place = isFamily ? entry.listing.uriTemplate : entry.listing.uri;
    const places: Map<string, unknown> = isFamily ? this.families : this.single;
    if (isAdded) places.set(place, entry);
    else places.delete(place);
  }
}
