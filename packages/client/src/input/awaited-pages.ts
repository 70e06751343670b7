/** How many pages may wait for the server to say that the user is done. */
const MAX_AWAITED_PAGES = 1000;

/** One page, which several calls may need. */
interface AwaitedPage {
  readonly completed: Promise<void>;
  readonly complete: () => void;
}

/** The pages that users were sent to, until the server says that they are done there, as only 2025-11-25 can. */
export class AwaitedPages {
  readonly #awaited = new Map<unknown, AwaitedPage>();

  /** Resolves when the server says that the user is done with a page, which may never happen. */
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

  /** Notes that the user is done with a page. Unknown ids are ignored, as the specification demands. */
  complete(elicitationId: unknown): void {
    this.#awaited.get(elicitationId)?.complete();
    this.#awaited.delete(elicitationId);
  }
}
