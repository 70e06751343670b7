import { UsageError, type Resource, type ResourceTemplate } from "@toolwire/protocol";
import type { Complete, ListedResource, ReadReturn, ResourceDefinition } from "../definition/resource.ts";
import type { Awaitable } from "../definition/tool.ts";
import type { Context } from "../request/context.ts";
import type { ListSettings } from "./list-pages.ts";
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
  /** How families are listed. */
  readonly templateSettings: ListSettings;
  readonly #onUpdate: (uri: string) => void;
  /** The URIs and templates that there are. */
  readonly #taken = new Set<string>();

  constructor(
    settings: ListSettings & { templates: ListSettings },
    onChange: () => void,
    onUpdate: (uri: string) => void,
  ) {
    super("resource", settings, onChange);
    this.templateSettings = settings.templates;
    this.#onUpdate = onUpdate;
  }

  /** Tells everybody who watches this resource that its contents have changed. */
  updated(uri: string): void {
    this.#onUpdate(uri);
  }

  protected override compile(
    name: string,
    definition: ResourceDefinition,
    order: number,
  ): CompiledResource | CompiledTemplate {
    expectCompilable(definition, "resource({ read, … })");
    const entry = definition["~compile"](name, order);
    const place = placeOf(entry);
    if (!this.#taken.has(place)) return entry;
    throw new UsageError("DUPLICATE_NAME", `There is a resource with ${place} already: each needs its own.`);
  }

  protected override changed(entry: CompiledResource | CompiledTemplate, isAdded: boolean): void {
    if (isAdded) this.#taken.add(placeOf(entry));
    else this.#taken.delete(placeOf(entry));
  }
}

/** Whether an entry is a family rather than a single resource. */
export function isTemplate(entry: CompiledResource | CompiledTemplate): entry is CompiledTemplate {
  return "match" in entry;
}

function placeOf(entry: CompiledResource | CompiledTemplate): string {
  return isTemplate(entry) ? `the template ${entry.listing.uriTemplate}` : `the URI ${entry.listing.uri}`;
}
