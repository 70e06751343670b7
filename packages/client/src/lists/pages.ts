import { ProtocolViolation, TransportError, type ListResult } from "@toolwire/protocol";

/** More pages than any honest list has. */
const MAX_PAGES = 10_000;

/**
 * All items of a list, page by page, as they are asked for. Any cursor leads to another page, the empty one too. Cursors are
 * of no use in another session than theirs (2025-11-25, "Pagination"), which may begin while whoever iterates takes their
 * time: `sessionNow` tells one from the other.
 */
export async function* allItems<Page extends ListResult, Item>(
  fetchPage: (cursor: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
  sessionNow: () => unknown,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  let session: unknown;
  const stayInSession = (): void => {
    if (sessionNow() === session) return;
    throw new TransportError("SESSION_EXPIRED", "The session that this list was begun in is over. List it anew.");
  };
  for (;;) {
    // That a session is over is often found out by the very next request, which is then sent again in another.
    const page: Page = await (cursor === undefined ? fetchPage(cursor) : fetchPage(cursor).finally(stayInSession));
    if (cursor === undefined) session = sessionNow();
    yield* itemsOf(page);
    cursor = page.nextCursor;
    if (cursor === undefined) return;
    if (seen.has(cursor) || seen.size >= MAX_PAGES) {
      throw new ProtocolViolation("INVALID_RESULT", "The server's list has no end.");
    }
    stayInSession();
    seen.add(cursor);
  }
}
