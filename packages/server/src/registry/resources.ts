import { UsageError } from "@toolwire/protocol";
import { expectOption } from "@toolwire/protocol/internal";
import type { Context } from "../define/context.ts";
import type { ReadReturn, ResourceDefinition } from "../define/resource.ts";
import type { UpdateOptions } from "../define/server.ts";
import type { Awaitable } from "../define/tool.ts";
import { isPrincipal } from "../origin.ts";
import type { ResourceChange } from "../subscriptions/changes.ts";
import { compileResource, type CompiledResource, type CompiledTemplate } from "./compile-resource.ts";
import { ListPages, type ListSettings } from "./pages.ts";
import { Registry } from "./registry.ts";

/** A resource that serves a URI, and how to read it. */
export interface LocatedResource {
  /** The name under which it, or its family, is defined. */
  readonly name: string;
  readonly mimeType: string | undefined;
  /** The scopes that its readers need, if they need any. */
  readonly scopes: readonly string[] | undefined;
  /** The values of the variables in its family's template. */
  readonly values: object | undefined;
  /** The one URI for all ways to write it. Percent-encodings and the order of parameters do not change it. */
  canonicalUri(): string;
  read(ctx: Context): Awaitable<ReadReturn>;
}

/** The resources of a server, single ones and families. */
export class ResourceRegistry extends Registry<ResourceDefinition, CompiledResource | CompiledTemplate> {
  /** The resources with a URI of their own, by URI. */
  readonly single: Map<string, CompiledResource> = new Map<string, CompiledResource>();
  /** The families, by template. */
  readonly families: Map<string, CompiledTemplate> = new Map<string, CompiledTemplate>();
  readonly templatePages: ListPages;
  /** How many definitions ask for scopes. */
  #scopedCount = 0;
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

  /** Tells all subscribers of this resource, or those of one caller, that its contents have changed. */
  updated(uri: string, options: UpdateOptions = {}): void {
    if (!("principal" in options)) return this.#onUpdate({ uri });
    const { principal } = options;
    const isFine = principal === undefined || isPrincipal(principal);
    expectOption("principal", principal, isFine, 'an object with an `id`, such as { id: "ada" }');
    this.#onUpdate({ uri, only: { id: principal?.id } });
  }

  /**
   * The scopes that a caller needs to watch all of these resources, if it needs any. A URI that belongs to no definition needs none:
   * nothing is told about it.
   */
  scopesFor(uris: Iterable<string>): readonly string[] | undefined {
    if (this.#scopedCount === 0) return undefined;
    const needed = Array.from(uris, (uri) => this.locate(uri)?.scopes ?? []).flat();
    return needed.length === 0 ? undefined : [...new Set(needed)];
  }

  /** The resource of a URI: one with this very URI first, then the first family that it belongs to. */
  locate(uri: string): LocatedResource | undefined {
    const own = this.single.get(uri);
    if (own !== undefined) {
      const { name, listing, scopes } = own;
      return {
        name,
        mimeType: listing.mimeType,
        scopes,
        values: undefined,
        canonicalUri: () => uri,
        read: (ctx) => own.read(ctx),
      };
    }
    for (const family of this.families.values()) {
      const values = family.match(uri);
      if (values === undefined) continue;
      const { name, listing, scopes } = family;
      return {
        name,
        mimeType: listing.mimeType,
        scopes,
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
    const entry = compileResource(definition, name, order);
    if ("match" in entry) expectFree(this.families, "template", entry.listing.uriTemplate);
    else expectFree(this.single, "URI", entry.listing.uri);
    return entry;
  }

  protected override changed(entry: CompiledResource | CompiledTemplate, isAdded: boolean): void {
    this.templatePages.changed(entry);
    if (entry.scopes !== undefined) this.#scopedCount += isAdded ? 1 : -1;
    const isFamily = "match" in entry;
    const place = isFamily ? entry.listing.uriTemplate : entry.listing.uri;
    const places: Map<string, unknown> = isFamily ? this.families : this.single;
    if (isAdded) places.set(place, entry);
    else places.delete(place);
  }
}

function expectFree(taken: ReadonlyMap<string, unknown>, what: string, place: string): void {
  if (!taken.has(place)) return;
  throw new UsageError("DUPLICATE_NAME", `There is a resource with the ${what} ${place} already: each needs its own.`);
}
