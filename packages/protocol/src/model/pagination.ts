import type { CacheableResult } from "./cache.ts";
import type { Cursor } from "./tokens.ts";
import type { RequestParams } from "./result.ts";

/** The parameters of every list request. */
export interface ListParams extends RequestParams {
  /** From the `nextCursor` of the page before; absent for the first page. */
  cursor?: Cursor | undefined;
}

/** What every page of a list has. */
export interface ListResult extends CacheableResult {
  /** Present as long as there is another page. */
  nextCursor?: Cursor | undefined;
}
