import type { CallToolParams } from "../model/tool-calls.ts";
import { expectOptionalObject, expectParams, expectString } from "./expect.ts";
import { expectRetry } from "./retry.ts";

/** The parameters of `tools/call`. Whether the arguments fit the tool is for the tool's schema to say. */
export function readCallToolParams(params: unknown): CallToolParams {
  const object = expectParams(params);
  expectString(object["name"], "name");
  expectOptionalObject(object["arguments"], "arguments");
  expectRetry(object);
  return object as unknown as CallToolParams;
}
