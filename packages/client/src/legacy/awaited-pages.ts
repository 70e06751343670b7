/** How many pages may await the word of their server that the user is done. */
const MAX_AWAITED_PAGES = 1000;

/** Pages that users were sent to, until their server says that they are done there, which only 2025-11-25 knows. */
export class AwaitedPages {
  readonly #awaited = new Map<unknown, () => void>();

  /** Resolves when the server says that the user is done with a page, which it may never do. */
  await(elicitationId: string): Promise<void> {
    for (const oldest of this.#awaited.keys()) {
      if (this.#awaited.size < MAX_AWAITED_PAGES) break;
      this.#awaited.delete(oldest);
    }
    return new Promise((resolve) => this.#awaited.set(elicitationId, resolve));
  }

  /** The server says that the user is done with a page. Ids that nobody awaits are ignored, as the spec wants. */
  complete(elicitationId: unknown): void {
    this.#awaited.get(elicitationId)?.();
    this.#awaited.delete(elicitationId);
  }
}
