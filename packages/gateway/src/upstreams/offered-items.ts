import type {
  GetPromptResult,
  Prompt,
  PromptArgument,
  PromptReference,
  ReadResourceResult,
  ResourceTemplate,
  ResourceTemplateReference,
} from "@toolwire/client";
import { parseUriTemplate } from "@toolwire/protocol/uri-template";
import {
  prompt,
  resource,
  type Complete,
  type Context,
  type PromptArgumentOptions,
  type ReadAnswer,
  type Resource,
  type Suggestions,
} from "@toolwire/server";
import type { UpstreamConfig } from "../config/config.ts";
import type { UpstreamHost } from "./host.ts";
import { canonicalJson, cleanWords } from "./listing-text.ts";
import { passBlock } from "./mcp-route.ts";
import { hashText, offeredName } from "./names.ts";
import type { Offer } from "./offers.ts";
import { passedMeta } from "./relay.ts";

/** Something whose arguments an upstream completes. */
export type CompletedReference = PromptReference | ResourceTemplateReference;

/** Arguments that are filled in already. */
export type Settled = { readonly [name: string]: string };

/** The part of an upstream that its prompts and resources need. */
export interface OfferSource {
  readonly config: Pick<UpstreamConfig, "prefix">;
  outwardUri(uri: string): string;
  getPrompt(name: string, args: object, ctx: Context): Promise<GetPromptResult>;
  complete(ref: CompletedReference, name: string, value: string, ctx: Context, settled: Settled): Promise<Suggestions>;
}

/** Makes the offer of a prompt. */
export function offerPrompt(source: OfferSource, { hosted }: UpstreamHost, item: Prompt, completes: boolean): Offer {
  const given: readonly PromptArgument[] = Array.isArray(item.arguments) ? item.arguments : [];
  const args = given.map(({ name, title, description, required }): [string, PromptArgumentOptions] => {
    const complete = completion(source, { type: "ref/prompt", name: item.name }, name);
    const texts = { title: cleanWords(title), description: cleanWords(description) };
    return [name, { ...texts, required: required === true, ...(completes && { complete }) }];
  });
  const definition = prompt({
    title: cleanWords(item.title),
    description: cleanWords(item.description),
    icons: item.icons,
    _meta: passedMeta(item._meta),
    arguments: Object.fromEntries(args),
    get: (values, ctx) => getPrompt(source, item.name, values, ctx),
  });
  return {
    name: offeredName(source.config.prefix, item.name),
    fingerprint: hashText(canonicalJson([item, completes])),
    add: (name) => hosted.server.prompts.add(name, definition),
  };
}

async function getPrompt(source: OfferSource, name: string, values: object, ctx: Context): Promise<GetPromptResult> {
  const args = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  const { description, messages, _meta: given } = await source.getPrompt(name, args, ctx);
  const _meta = passedMeta(given);
  return {
    ...(description !== undefined && { description }),
    messages: messages.map((message) => ({ ...message, content: passBlock(source, message.content) })),
    ...(_meta !== undefined && { _meta }),
  };
}

/** Makes the offer of a resource template. Its resources are read like all others of the upstream. */
export function offerTemplate(
  source: OfferSource,
  host: UpstreamHost,
  item: ResourceTemplate,
  completes: boolean,
): Offer {
  const { uriTemplate, mimeType, annotations, icons } = item;
  const template = source.outwardUri(uriTemplate);
  return {
    name: offeredName(source.config.prefix, item.name),
    fingerprint: hashText(canonicalJson([item, completes])),
    add(name) {
      const parsed = parseUriTemplate(template);
      const ref = { type: "ref/resource", uri: uriTemplate } as const;
      const complete = parsed.variables.map((variable) => [variable, completion(source, ref, variable)] as const);
      const definition = resource<string>({
        template,
        // The name is one that the gateway gives, so people read the original one.
        title: cleanWords(item.title ?? item.name),
        description: cleanWords(item.description),
        mimeType: typeof mimeType === "string" ? mimeType : undefined,
        annotations,
        icons,
        _meta: passedMeta(item._meta),
        complete: completes ? Object.fromEntries(complete) : {},
        read: (values, ctx) => host.read(parsed.expand(values as Record<string, string>), ctx),
      });
      host.hosted.server.resources.add(name, definition);
    },
  };
}

/** Completes an argument by asking the upstream. */
function completion(source: OfferSource, ref: CompletedReference, argument: string): Complete {
  return (value, ctx, settled) => source.complete(ref, argument, value, ctx, settled);
}

/** Passes the listing of a resource on. */
export function passResource(source: OfferSource, item: Resource): Resource {
  const { uri, name, title, description, _meta, ...rest } = item;
  return {
    ...rest,
    uri: source.outwardUri(uri),
    name: cleanWords(name) ?? "",
    title: cleanWords(title),
    description: cleanWords(description),
    _meta: passedMeta(_meta),
  };
}

/** Passes the contents of a resource on. What is read with the credentials of one user is for no other. */
export function passContents(source: OfferSource, result: ReadResourceResult, isPerUser: boolean): ReadAnswer {
  const _meta = passedMeta(result._meta);
  return {
    contents: result.contents.map((item) => ({ ...item, uri: source.outwardUri(item.uri) })),
    ...(result.ttlMs !== undefined && { ttlMs: result.ttlMs }),
    cacheScope: result.cacheScope === "public" && !isPerUser ? "public" : "private",
    ...(_meta !== undefined && { _meta }),
  };
}
