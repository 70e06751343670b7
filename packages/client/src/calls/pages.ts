import { ProtocolViolation, RpcError, TransportError, type ListResult } from "@toolwire/protocol";

/** How many pages a list may have. */
const MAX_PAGES = 10_000;

/** How many characters all cursors of a list may have. They are kept to detect a list that repeats itself. */
const MAX_CURSORS_LENGTH = 16 * 1024 * 1024;

/**
 * Iterates over all items of a list, page by page, on demand. Any cursor leads to another page, also an empty one. Cursors are
 * valid in one session only (2025-11-25, "Pagination"), and a new one may begin while the caller handles an item:
 * `sessionNow` tells one from the other.
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
      // Only an error of the server can be about the cursor. Others, such as the reason of an abort, are passed on.
      if (cursor !== undefined && error instanceof RpcError) stayInSession();
      throw error;
    }
    // The loss of a session is often noticed by the next request, which is then sent again in a new session.
    if (cursor === undefined) session = sessionNow();
    else stayInSession();
    const { nextCursor } = page;
    const isLast = nextCursor === cursor;
    // Servers without pagination return their only page for any cursor. It is not repeated.
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
