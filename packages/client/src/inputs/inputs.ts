import type { ClientCapabilities } from "@toolwire/protocol";
import { declareCapabilities, sortHandlers, type InputHandlers, type SortedHandlers } from "./handlers.ts";

/** How many pages may await the word of their server that the user is done. */
const MAX_AWAITED_PAGES = 1000;

/**
 * What servers can ask of this client, whichever way the question comes: as a request of a legacy server, or inside the
 * result of a modern one. What answers them is loaded with the first question: `answering.ts`.
 */
export class Inputs {
  /** What to declare to servers. */
  readonly capabilities: ClientCapabilities;
  readonly handlers: SortedHandlers;
  readonly #awaitedPages = new Map<unknown, () => void>();

  constructor(handlers: InputHandlers, more?: ClientCapabilities) {
    this.handlers = sortHandlers(handlers);
    this.capabilities = declareCapabilities(this.handlers, more);
  }

  /** Resolves when the server says that the user is done with a page, which it may never do. */
  awaitPage(elicitationId: string): Promise<void> {
    for (const oldest of this.#awaitedPages.keys()) {
      if (this.#awaitedPages.size < MAX_AWAITED_PAGES) break;
      this.#awaitedPages.delete(oldest);
    }
    return new Promise((resolve) => this.#awaitedPages.set(elicitationId, resolve));
  }

  /** The server says that the user is done with a page. Ids that nobody awaits are ignored, as the spec wants. */
  completePage(elicitationId: unknown): void {
    this.#awaitedPages.get(elicitationId)?.();
    this.#awaitedPages.delete(elicitationId);
  }
}
