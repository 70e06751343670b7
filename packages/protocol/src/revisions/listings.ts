import type { Prompt, PromptArgument } from "../model/prompts.ts";
import type { Resource, ResourceTemplate } from "../model/resources.ts";
import { annotationsRewrite } from "./content.ts";
import { knownFields } from "./fields.ts";
import type { Revision } from "./revision.ts";
import { chain, each, member, type Rewrite } from "./rewrite.ts";

/** A resource or a template as it is listed, for a revision. */
export function resourceRewrite<T extends Resource | ResourceTemplate>(revision: Revision): Rewrite<T> {
  return chain<T>(knownFields(revision, "listed"), annotationsRewrite(revision));
}

/** A prompt as it is listed, for a revision. */
export function promptRewrite(revision: Revision): Rewrite<Prompt> {
  return chain<Prompt>(
    knownFields(revision, "listed"),
    member<Prompt, "arguments">("arguments", each<PromptArgument>(knownFields(revision, "promptArgument"))),
  );
}
