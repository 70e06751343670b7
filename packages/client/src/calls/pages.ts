import { ProtocolViolation, RpcError, TransportError, type ListResult } from "@toolwire/protocol";

/** More pages than any honest list has. */
const MAX_PAGES = 10_000;

/** How many characters all cursors of a list may have: they are remembered, to find out if it goes round in circles. */
const MAX_CURSORS_LENGTH = 16 * 1024 * 1024;

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
  let seenLength = 0;
  let before: Page | undefined;
  let cursor: string | undefined;
  let session: unknown;
  const stayInSession = (): void => {
    if (sessionNow() === session) return;
    throw new TransportError("SESSION_EXPIRED", "The session that this list was begun in is over. List it anew.");
  };
  for (;;) {
    let page: Page;
    try {
      page = await fetchPage(cursor);
    } catch (error) {
      // Only what a server says can be about its cursor; all else, such as the reason to give up, is the caller's to hear.
      if (cursor !== undefined && error instanceof RpcError) stayInSession();
      throw error;
    }
    // That a session is over is often found out by the very next request, which is then sent again in another.
    if (cursor === undefined) session = sessionNow();
    else stayInSession();
    const { nextCursor } = page;
    const isLast = nextCursor === cursor;
    // To servers that know no cursors, any of them leads to their only page, which is not told twice.
    if (isLast && before !== undefined && JSON.stringify(page) === JSON.stringify(before)) return;
    yield* itemsOf(page);
    if (isLast || nextCursor === undefined) return;
    before = page;
    cursor = nextCursor;
    seenLength += cursor.length;
    if (seen.has(cursor) || seen.size >= MAX_PAGES || seenLength > MAX_CURSORS_LENGTH) {
      throw new ProtocolViolation("INVALID_RESULT", "The server's list has no end.");
    }
    stayInSession();
    seen.add(cursor);
  }
}
