import type { ResourceTemplate } from "@toolwire/client";
import { parseUriTemplate } from "@toolwire/protocol/uri-template";
import { resource, type Context, type ReadReturn, type ResourceDefinition } from "@toolwire/server";
import { cleanWords } from "../text/clean.ts";
import { canonicalJson } from "@toolwire/protocol/internal";
import { hashText } from "../text/hash.ts";
import { metaForCaller } from "../text/meta.ts";
import { offeredName } from "../text/names.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { completeBy } from "./complete.ts";
import type { Offer } from "./offer-table.ts";

/** Reads a resource, whichever upstream has it. */
export type ReadResource = (uri: string, ctx: Context) => Promise<ReadReturn>;

/** Makes the offers of the resource templates of an upstream. Their resources are read like all others. */
export function offerTemplates(
  upstream: Upstream,
  templates: readonly ResourceTemplate[],
  completes: boolean,
  read: ReadResource,
): Offer<ResourceDefinition>[] {
  return templates.map((item) => ({
    name: offeredName(upstream.options.prefix, item.name),
    fingerprint: hashText(canonicalJson([item, completes])),
    make: () => defineTemplate(upstream, item, completes, read),
  }));
}

function defineTemplate(
  upstream: Upstream,
  item: ResourceTemplate,
  completes: boolean,
  read: ReadResource,
): ResourceDefinition {
  const { uriTemplate, mimeType, annotations, icons } = item;
  const template = upstream.uris.outward(uriTemplate);
  const parsed = parseUriTemplate(template);
  const ref = { type: "ref/resource", uri: uriTemplate } as const;
  const complete = parsed.variables.map((variable) => [variable, completeBy(upstream, ref, variable)] as const);
  return resource<string>({
    template,
    // The name is one that is given to it, so people read the original one.
    title: cleanWords(item.title ?? item.name),
    description: cleanWords(item.description),
    mimeType: typeof mimeType === "string" ? mimeType : undefined,
    annotations,
    icons,
    _meta: metaForCaller(item._meta),
    complete: completes ? Object.fromEntries(complete) : {},
    read: (values, ctx) => read(parsed.expand(values as Record<string, string>), ctx),
  });
}
