import { UsageError, type PreparedJson, type Resource, type ResourceTemplate, type Revision } from "@toolwire/protocol";
import type { Complete, ListedResource, ReadReturn, ResourceDefinition } from "../definition/resource.ts";
import type { Awaitable } from "../definition/tool.ts";
import type { Context } from "../request/context.ts";
import { ListPages, type ListSettings } from "./list-pages.ts";
import { expectCompilable, Registry, type Entry } from "./registry.ts";

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
  read(values: object, ctx: Context): Awaitable<ReadReturn>;
}

/** The resources of a server, single ones and families. */
export class ResourceRegistry extends Registry<ResourceDefinition, CompiledResource | CompiledTemplate> {
  readonly settings: ListSettings;
  readonly #resources: ListPages<CompiledResource>;
  readonly #templates: ListPages<CompiledTemplate>;
  readonly #onUpdate: (uri: string) => void;
  readonly #byUri = new Map<string, CompiledResource>();
  #families: CompiledTemplate[] = [];

  constructor(
    settings: ListSettings & { templates: ListSettings },
    onChange: () => void,
    onUpdate: (uri: string) => void,
  ) {
    super("resource", onChange);
    this.settings = settings;
    this.#onUpdate = onUpdate;
    this.#resources = new ListPages(RESOURCES, settings);
    this.#templates = new ListPages(
      { method: "resources/templates/list", member: "resourceTemplates" },
      settings.templates,
    );
  }

  /** Tells everybody who watches this resource that its contents have changed. */
  updated(uri: string): void {
    this.#onUpdate(uri);
  }

  page(revision: Revision, cursor: string | undefined): PreparedJson {
    return this.#resources.page(revision, cursor, () => this.#byUri.values(), this.lastOrder);
  }

  templatePage(revision: Revision, cursor: string | undefined): PreparedJson {
    return this.#templates.page(revision, cursor, () => this.#families, this.lastOrder);
  }

  /** The single resources, by URI. */
  get single(): ReadonlyMap<string, CompiledResource> {
    return this.#byUri;
  }

  get families(): readonly CompiledTemplate[] {
    return this.#families;
  }

  protected override changed(entry: CompiledResource | CompiledTemplate, isAdded: boolean): void {
    this.#resources.clear();
    this.#templates.clear();
    if (isTemplate(entry)) {
      if (isAdded) this.#families.push(entry);
      else this.#families = this.#families.filter((family) => family !== entry);
    } else if (isAdded) this.#byUri.set(entry.listing.uri, entry);
    else this.#byUri.delete(entry.listing.uri);
  }

  protected override compile(
    name: string,
    definition: ResourceDefinition,
    order: number,
  ): CompiledResource | CompiledTemplate {
    expectCompilable(definition, "resource({ read, … })");
    const entry = definition["~compile"](name, order);
    if (isTemplate(entry)) {
      const { uriTemplate } = entry.listing;
      if (this.#families.some(({ listing }) => listing.uriTemplate === uriTemplate)) {
        throw taken(`the template ${uriTemplate}`);
      }
    } else if (this.#byUri.has(entry.listing.uri)) throw taken(`the URI ${entry.listing.uri}`);
    return entry;
  }
}

function isTemplate(entry: CompiledResource | CompiledTemplate): entry is CompiledTemplate {
  return "match" in entry;
}

function taken(what: string): UsageError {
  return new UsageError("DUPLICATE_NAME", `There is a resource with ${what} already: each needs its own.`);
}

/** The list of resources, whose pages may also have to be put together for one request. */
export const RESOURCES = { method: "resources/list", member: "resources" } as const;
