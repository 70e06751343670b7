import type { GetPromptResult, Prompt, PromptArgument } from "@toolwire/client";
import { prompt, type PromptArgumentOptions, type PromptDefinition } from "@toolwire/server";
import { passPrompt } from "../calls/results.ts";
import { cleanWords } from "../text/clean.ts";
import { canonicalJson } from "@toolwire/protocol/internal";
import { hashText } from "../text/hash.ts";
import { metaForCaller } from "../text/meta.ts";
import { offeredName } from "../text/names.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { completeBy } from "./complete.ts";
import type { Offer } from "./offer-table.ts";

/** Makes the offers of the prompts of an upstream. `completes` says whether it completes their arguments. */
export function offerPrompts(
  upstream: Upstream,
  prompts: readonly Prompt[],
  completes: boolean,
): Offer<PromptDefinition>[] {
  return prompts.map((item) => ({
    name: offeredName(upstream.options.prefix, item.name),
    fingerprint: hashText(canonicalJson([item, completes])),
    make: () => definePrompt(upstream, item, completes),
  }));
}

function definePrompt(upstream: Upstream, item: Prompt, completes: boolean): PromptDefinition {
  const { name, title, description, icons, _meta } = item;
  const given: readonly PromptArgument[] = Array.isArray(item.arguments) ? item.arguments : [];
  const args = given.map((argument): [string, PromptArgumentOptions] => {
    const complete = completeBy(upstream, { type: "ref/prompt", name }, argument.name);
    const texts = { title: cleanWords(argument.title), description: cleanWords(argument.description) };
    return [argument.name, { ...texts, required: argument.required === true, ...(completes && { complete }) }];
  });
  return prompt({
    title: cleanWords(title),
    description: cleanWords(description),
    icons,
    _meta: metaForCaller(_meta),
    arguments: Object.fromEntries(args),
    async get(values: object, ctx) {
      const set = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
      const result = await upstream.expectView(ctx).send("prompts/get", { name, arguments: set }, ctx);
      return passPrompt(result as GetPromptResult, (uri) => upstream.uris.outward(uri));
    },
  });
}
