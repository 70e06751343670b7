import type { CompleteParams } from "../model/completion.ts";
import {
  expectObject,
  expectOneOf,
  expectOptionalObject,
  expectOptionalStrings,
  expectParams,
  expectString,
} from "./expect.ts";

/** The parameters of `completion/complete`. */
export function readCompleteParams(params: unknown): CompleteParams {
  const object = expectParams(params);
  const ref = expectObject(object["ref"], "ref");
  const type = expectOneOf(ref["type"], ["ref/prompt", "ref/resource"], "ref.type");
  if (type === "ref/prompt") expectString(ref["name"], "ref.name");
  else expectString(ref["uri"], "ref.uri");
  const argument = expectObject(object["argument"], "argument");
  expectString(argument["name"], "argument.name");
  expectString(argument["value"], "argument.value");
  const context = expectOptionalObject(object["context"], "context");
  expectOptionalStrings(context?.["arguments"], "context.arguments");
  return object as unknown as CompleteParams;
}
