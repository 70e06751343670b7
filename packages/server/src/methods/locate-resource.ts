import type { ReadReturn } from "../definition/resource.ts";
import type { Awaitable } from "../definition/tool.ts";
import type { ResourceRegistry } from "../registry/resources.ts";
import type { Context } from "../request/context.ts";

/** A resource that was found, and how to read it. */
export interface FoundResource {
  readonly mimeType: string | undefined;
  read(ctx: Context): Awaitable<ReadReturn>;
}

/** The resource of a URI: one of its own first, then the first family that it belongs to. */
export function locateResource(resources: ResourceRegistry, uri: string): FoundResource | undefined {
  const own = resources.single.get(uri);
  if (own !== undefined) return { mimeType: own.listing.mimeType, read: (ctx) => own.read(ctx) };
  for (const family of resources.families.values()) {
    const values = family.match(uri);
    if (values !== undefined) {
      return { mimeType: family.listing.mimeType, read: (ctx) => family.read(values, ctx) };
    }
  }
  return undefined;
}
