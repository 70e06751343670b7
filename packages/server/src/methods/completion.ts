import { readCompleteParams } from "@toolwire/protocol/internal";
import type { CompleteParams, CompleteResult } from "@toolwire/protocol";
import { defined } from "../define/check-options.ts";
import type { Complete, Suggestions } from "../define/resource.ts";
import { invalidParams, unknownName, unknownTemplate } from "../errors.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { whenReady } from "../request/thenable.ts";
import { expectKind } from "../request/errors.ts";
import { requireScopesOf } from "../request/scopes.ts";

/** Answers `completion/complete`. */
export function complete(request: ServedRequest, given: object | undefined): object | Promise<object> {
  expectKind(request, "completions");
  const params = readCompleteParams(given);
  const suggest = findComplete(request, params);
  if (suggest === undefined) return toResult([]);
  return whenReady(suggest(params.argument.value, request.context, params.context?.arguments ?? {}), toResult);
}

/** The function that completes this argument; `undefined` if the argument exists without one. */
function findComplete(request: ServedRequest, { ref, argument }: CompleteParams): Complete | undefined {
  const { definition } = request;
  if (ref.type === "ref/prompt") {
    const prompt = definition.prompts.find(ref.name);
    if (prompt === undefined) throw unknownName("prompt", ref.name);
    requireScopesOf(request, prompt.scopes);
    expectArgument(argument.name, prompt.listing.arguments?.map(({ name }) => name) ?? []);
    return prompt.complete.get(argument.name);
  }
  const family = definition.resources.families.get(ref.uri);
  if (family === undefined) throw unknownTemplate();
  requireScopesOf(request, family.scopes);
  expectArgument(argument.name, family.variables);
  return family.complete.get(argument.name);
}

function expectArgument(name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  throw invalidParams(`Unknown argument: there is ${known.length === 0 ? "none" : known.join(", ")}.`);
}

/** The most suggestions in one result (completion page). The rest is only counted. */
const MAX_SUGGESTIONS = 100;

function toResult(suggested: readonly string[] | Suggestions): CompleteResult {
  const { values, total, hasMore }: Suggestions = isList(suggested) ? { values: suggested } : suggested;
  if (values.length > MAX_SUGGESTIONS) {
    return { completion: { values: values.slice(0, MAX_SUGGESTIONS), total: total ?? values.length, hasMore: true } };
  }
  return { completion: defined({ values, total, hasMore }) };
}

function isList(suggested: readonly string[] | Suggestions): suggested is readonly string[] {
  return Array.isArray(suggested);
}
