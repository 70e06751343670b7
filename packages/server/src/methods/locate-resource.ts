import type { ReadReturn } from "../definition/resource.ts";
import type { Awaitable } from "../definition/tool.ts";
import type { ResourceRegistry } from "../registry/resources.ts";
import type { Context } from "../request/context.ts";

/** A resource that was found, and how to read it. */
export interface FoundResource {
  /** The name under which it, or its family, was defined. */
  readonly name: string;
  readonly mimeType: string | undefined;
  /** What the variables of its family's template stand for. */
  readonly values: object | undefined;
  /** The one URI for all the ways to write it: what a percent-encoding or another order of parameters cannot change. */
  canonicalUri(): string;
  read(ctx: Context): Awaitable<ReadReturn>;
}

/** The resource of a URI: one of its own first, then the first family that it belongs to. */
export function locateResource(resources: ResourceRegistry, uri: string): FoundResource | undefined {
  const own = resources.single.get(uri);
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
  for (const family of resources.families.values()) {
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
