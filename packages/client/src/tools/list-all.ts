import type { ListToolsResult } from "@toolwire/protocol";

const MAX_PAGES = 100;

/** Fetches all pages of the list of tools, one after the other, for what there is to learn from them. */
export async function listAllTools(
  fetchPage: (params: { readonly cursor?: string }) => Promise<ListToolsResult>,
): Promise<void> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { nextCursor } = await fetchPage(cursor === undefined ? {} : { cursor });
    if (nextCursor === undefined || nextCursor === cursor) return;
    cursor = nextCursor;
  }
}
