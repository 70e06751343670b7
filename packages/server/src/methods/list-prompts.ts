import { readListParams } from "@toolwire/protocol";
import { methodNotFound } from "../errors.ts";
import { ListPages } from "../registry/list-pages.ts";
import type { CompiledPrompt, PromptRegistry } from "../registry/prompts.ts";
import type { ServedRequest } from "../request/served-request.ts";

const lists = new WeakMap<PromptRegistry, ListPages<CompiledPrompt>>();

/** Answers `prompts/list`. */
export function listPrompts(call: ServedRequest, params: object | undefined): object {
  const { definition, revision } = call;
  if (definition.capabilities.prompts === undefined) throw methodNotFound(call.method);
  return pagesOf(definition.prompts).page(revision, readListParams(params).cursor);
}

function pagesOf(prompts: PromptRegistry): ListPages<CompiledPrompt> {
  let pages = lists.get(prompts);
  if (pages === undefined) {
    pages = new ListPages({ method: "prompts/list", member: "prompts" }, prompts);
    lists.set(prompts, pages);
  }
  return pages;
}
