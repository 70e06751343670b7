import { isObject, readGetPromptParams } from "@toolwire/protocol/internal";
import { UsageError, type ContentBlock, type GetPromptResult, type PromptMessage } from "@toolwire/protocol";
import { defined } from "../define/check-options.ts";
import type { PromptReturn } from "../define/prompt.ts";
import { unknownName } from "../errors.ts";
import type { CompiledPrompt } from "../registry/prompts.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { whenReady } from "../request/thenable.ts";
import { answerWithQuestions } from "./answer-with-questions.ts";
import { expectKind } from "../request/errors.ts";

/** Answers `prompts/get`. */
export function getPrompt(call: ServedRequest, given: object | undefined): object | Promise<object> {
  expectKind(call, "prompts");
  const params = readGetPromptParams(given);
  const prompt = call.definition.prompts.find(params.name);
  if (prompt === undefined) throw unknownName("prompt", params.name);
  return answerWithQuestions(
    call,
    params,
    () =>
      whenReady(prompt.check(params.arguments ?? {}), (args) => {
        call.expectWanted();
        return prompt.get(args, call.context);
      }),
    (returned) => toResult(prompt, returned),
  );
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
