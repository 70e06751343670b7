import type { GetPromptParams } from "../model/prompts.ts";
import { expectOptionalStrings, expectParams, expectString } from "./expect.ts";
import { expectRetry } from "./retry.ts";

/** The parameters of `prompts/get`. */
export function readGetPromptParams(params: unknown): GetPromptParams {
  const object = expectParams(params);
  expectString(object["name"], "name");
  expectOptionalStrings(object["arguments"], "arguments");
  expectRetry(object);
  return object as unknown as GetPromptParams;
}
