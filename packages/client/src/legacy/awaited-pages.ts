/** How many pages may await the word of their server that the user is done. */
const MAX_AWAITED_PAGES = 1000;

/** One page, which several calls may need. */
interface AwaitedPage {
  readonly completed: Promise<void>;
  readonly complete: () => void;
}

/** Pages that users were sent to, until their server says that they are done there, which only 2025-11-25 knows. */
export class AwaitedPages {
  readonly #awaited = new Map<unknown, AwaitedPage>();

  /** Resolves when the server says that the user is done with a page, which it may never do. */
  await(elicitationId: string): Promise<void> {
    const known = this.#awaited.get(elicitationId);
    if (known !== undefined) return known.completed;
    for (const oldest of this.#awaited.keys()) {
      if (this.#awaited.size < MAX_AWAITED_PAGES) break;
      this.#awaited.delete(oldest);
    }
    let complete = (): void => {};
    const completed = new Promise<void>((resolve) => {
      complete = resolve;
    });
    this.#awaited.set(elicitationId, { completed, complete });
    return completed;
  }

  /** The server says that the user is done with a page. Ids that nobody awaits are ignored, as the spec wants. */
  complete(elicitationId: unknown): void {
    this.#awaited.get(elicitationId)?.complete();
    this.#awaited.delete(elicitationId);
  }
}
