import { isObject, readGetPromptParams } from "@toolwire/protocol/internal";
import { UsageError, type ContentBlock, type GetPromptResult, type PromptMessage } from "@toolwire/protocol";
import { defined } from "../define/check-options.ts";
import type { PromptReturn } from "../define/prompt.ts";
import { unknownName } from "../errors.ts";
import type { CompiledPrompt } from "../registry/prompts.ts";
import { requireScopesOf } from "../request/scopes.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { whenReady } from "../request/thenable.ts";
import { rethrow, runAsking } from "./run-asking.ts";
import { expectKind } from "../request/errors.ts";

/** Answers `prompts/get`. */
export function getPrompt(request: ServedRequest, given: object | undefined): object | Promise<object> {
  expectKind(request, "prompts");
  const params = readGetPromptParams(given);
  const prompt = request.definition.prompts.find(params.name);
  if (prompt === undefined) throw unknownName("prompt", params.name);
  requireScopesOf(request, prompt.scopes);
  return runAsking(request, params, {
    run: () =>
      whenReady(prompt.check(params.arguments ?? {}), (args) => {
        request.expectWanted();
        return prompt.get(args, request.context);
      }),
    conclude: (returned: PromptReturn) => toResult(prompt, returned),
    fail: rethrow,
  });
}

function toResult({ listing }: CompiledPrompt, returned: PromptReturn): GetPromptResult {
  if (isResult(returned)) return { ...returned };
  return defined<GetPromptResult>({ description: listing.description, messages: toMessages(returned) });
}

function toMessages(returned: string | ContentBlock | readonly PromptMessage[]): readonly PromptMessage[] {
  if (typeof returned === "string") return [{ role: "user", content: { type: "text", text: returned } }];
  if (isMessages(returned)) return returned;
  if (isObject(returned) && "type" in returned) return [{ role: "user", content: returned }];
  throw new UsageError(
    "INVALID_ARGUMENT",
    "`get` returns the text of a message, a content block, a list of messages, or a result with `messages`.",
  );
}

function isResult(returned: PromptReturn): returned is GetPromptResult {
  return isObject(returned) && Array.isArray(returned["messages"]);
}

function isMessages(returned: ContentBlock | readonly PromptMessage[]): returned is readonly PromptMessage[] {
  return Array.isArray(returned) && returned.every((message) => isObject(message) && "role" in message);
}
