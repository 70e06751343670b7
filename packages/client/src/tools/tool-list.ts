import type { ListToolsResult } from "@toolwire/protocol";
import type { Link } from "../connection/link.ts";

/** How many pages of tools are worth looking through. */
const MAX_PAGES = 100;

/** Goes through the whole list of tools, one page after the other; `list` asks for a page, and takes note of it. */
export async function readToolList(link: Link, list: (params: object) => Promise<object>): Promise<void> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { agreement } = link;
    const params = cursor === undefined ? {} : { cursor };
    // In another session than its own, a cursor is of no use: the list begins anew.
    const isStale = (): boolean => link.agreement !== agreement && cursor !== undefined;
    try {
      const { nextCursor } = (await list(params)) as ListToolsResult;
      if (isStale()) cursor = undefined;
      else if (nextCursor === undefined || nextCursor === cursor) return;
      else cursor = nextCursor;
    } catch (error) {
      if (!isStale()) throw error;
      cursor = undefined;
    }
  }
}
