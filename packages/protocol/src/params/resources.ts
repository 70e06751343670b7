import type { ReadResourceParams } from "../model/resources.ts";
import { expectParams, expectString } from "./expect.ts";
import { expectRetry } from "./retry.ts";

/** The parameters of `resources/read`. */
export function readReadResourceParams(params: unknown): ReadResourceParams {
  const object = expectParams(params);
  expectString(object["uri"], "uri");
  expectRetry(object);
  return object as unknown as ReadResourceParams;
}
