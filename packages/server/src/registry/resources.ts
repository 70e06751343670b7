import type { Resource, ResourceTemplate } from "@toolwire/protocol";
import type { Complete, ListedResource, ReadReturn, ResourceDefinition } from "../definition/resource.ts";
import { expectOption } from "../definition/expect-option.ts";
import type { Awaitable } from "../definition/tool.ts";
import type { Context } from "../request/context.ts";
import type { UpdateOptions } from "../server.ts";
import { isPrincipal } from "../serving/is-principal.ts";
import type { ResourceChange } from "../subscriptions/subscriptions.ts";
import { ListPages, type ListSettings } from "./list-pages.ts";
import { Registry, type Entry } from "./registry.ts";

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
  /** A page of all resources, of which some are members of families. Here, as servers without families do without it. */
  listAll(ctx: Context, cursor: string | undefined, resources: RegisteredResources): Promise<object>;
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
