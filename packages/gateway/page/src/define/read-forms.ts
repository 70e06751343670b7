import { findConflict, findTwice, slugOf, type Definition, type Target } from "./save-definition.ts";
import { toolOfDraft, type ToolDraft } from "./tool-draft.ts";
import { secretNameOf, upstreamOfDraft, type UpstreamDraft } from "./upstream-draft.ts";

/** The names that are taken, for a definition that is new. */
export interface TakenNames {
  readonly slugs: readonly string[];
  readonly names: readonly string[];
}

/** The definition of a tool that a form says. Throws an error with a sentence if it says nothing that can be sent. */
export function readToolForm(draft: ToolDraft, target: Target, taken: TakenNames | undefined): Definition {
  const name = draft.name.trim();
  refuse(taken && findConflict(target, "tools", name, taken));
  refuseTwice("arguments", findTwice(draft.rows ?? []));
  refuseTwice("headers", findTwice(draft.headers));
  try {
    return { part: "tools", name, config: toolOfDraft(draft) };
  } catch (error) {
    throw new Error(`The arguments are not JSON: ${error instanceof Error ? error.message : ""}`, { cause: error });
  }
}

/** The same for an upstream. A token that was typed is sealed. */
export function readUpstreamForm(draft: UpstreamDraft, target: Target, taken: TakenNames | undefined): Definition {
  const name = draft.name.trim();
  refuse(taken && findConflict(target, "upstreams", name, taken));
  refuseTwice("headers", findTwice(draft.headers));
  refuseTwice("variables", findTwice(draft.env));
  const secret = secretNameOf(slugOf(target), name);
  const isTyped = draft.kind === "url" && draft.login === "token" && draft.token !== "";
  return {
    part: "upstreams",
    name,
    config: upstreamOfDraft(draft, secret),
    ...(isTyped ? { secret: { name: secret, value: draft.token } } : {}),
  };
}

function refuse(sentence: string | undefined): void {
  if (sentence !== undefined) throw new Error(sentence);
}

function refuseTwice(what: string, name: string | undefined): void {
  if (name !== undefined) throw new Error(`Two ${what} are called ${name}. Rename one of them, or remove it.`);
}
