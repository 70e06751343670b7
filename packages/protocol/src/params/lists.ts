import type { ListParams } from "../model/pagination.ts";
import { expectOptionalString, expectParams } from "./expect.ts";

/** The parameters of all requests for a list; legacy clients may send none. */
export function readListParams(params: unknown = {}): ListParams {
  const object = expectParams(params);
  expectOptionalString(object["cursor"], "cursor");
  return object as ListParams;
}
