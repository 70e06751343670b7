import { ListPages, type ListSettings, type ListSource } from "../registry/list-pages.ts";
import type { Entry } from "../registry/registry.ts";
import {
  isTemplate,
  type CompiledResource,
  type CompiledTemplate,
  type ResourceRegistry,
} from "../registry/resources.ts";

const indexes = new WeakMap<ResourceRegistry, ResourceIndex>();

/** The resources of a server in the order in which requests look for them. */
export function indexOf(registry: ResourceRegistry): ResourceIndex {
  let index = indexes.get(registry);
  if (index === undefined) indexes.set(registry, (index = new ResourceIndex(registry)));
  return index;
}

/** The list of resources, whose pages may also have to be put together for one request. */
export const RESOURCES = { method: "resources/list", member: "resources" } as const;

/** What was made of the resources of a server, up to date whenever it is asked. */
export class ResourceIndex {
  /** The pages of single resources, and those of families. */
  readonly resources: ListPages<CompiledResource>;
  readonly templates: ListPages<CompiledTemplate>;
  readonly #registry: ResourceRegistry;
  #version = -1;
  #single = new Map<string, CompiledResource>();
  #families: readonly CompiledTemplate[] = [];

  constructor(registry: ResourceRegistry) {
    this.#registry = registry;
    this.resources = new ListPages(
      RESOURCES,
      this.#listed(registry.settings, () => this.single.values()),
    );
    this.templates = new ListPages(
      { method: "resources/templates/list", member: "resourceTemplates" },
      this.#listed(registry.templateSettings, () => this.families),
    );
  }

  /** The single resources, by URI. */
  get single(): ReadonlyMap<string, CompiledResource> {
    this.#update();
    return this.#single;
  }

  get families(): readonly CompiledTemplate[] {
    this.#update();
    return this.#families;
  }

  #listed<E extends Entry>(settings: ListSettings, entries: () => Iterable<E>): ListSource<E> {
    const registry = this.#registry;
    return {
      settings,
      entries,
      get version() {
        return registry.version;
      },
      get lastOrder() {
        return registry.lastOrder;
      },
    };
  }

  #update(): void {
    if (this.#version === this.#registry.version) return;
    this.#version = this.#registry.version;
    const all = [...this.#registry.entries()];
    this.#families = all.filter(isTemplate);
    this.#single = new Map();
    for (const entry of all) if (!isTemplate(entry)) this.#single.set(entry.listing.uri, entry);
  }
}
