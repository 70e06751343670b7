import { ProtocolViolation, type ListResult } from "@toolwire/protocol";

/** More pages than any honest list has. */
const MAX_PAGES = 10_000;

/** All items of a list, page by page, as they are asked for. Any cursor leads to another page, the empty one too. */
export async function* allItems<Page extends ListResult, Item>(
  fetchPage: (cursor: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (;;) {
    const page = await fetchPage(cursor);
    yield* itemsOf(page);
    cursor = page.nextCursor;
    if (cursor === undefined) return;
    if (seen.has(cursor) || seen.size >= MAX_PAGES) {
      throw new ProtocolViolation("INVALID_RESULT", "The server's list has no end.");
    }
    seen.add(cursor);
  }
}
