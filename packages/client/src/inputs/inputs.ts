import type { ClientCapabilities } from "@toolwire/protocol";
import type { AwaitedPages } from "../legacy/awaited-pages.ts";
import { declareCapabilities, sortHandlers, type InputHandlers, type SortedHandlers } from "./handlers.ts";

/**
 * What servers can ask of this client, whichever way the question comes: as a request of a legacy server, or inside the
 * result of a modern one. What answers them is loaded with the first question: `answering.ts`.
 */
export class Inputs {
  /** What to declare to servers. */
  readonly capabilities: ClientCapabilities;
  readonly handlers: SortedHandlers;
  /** The pages that users were sent to, from the first of them on. */
  pages: AwaitedPages | undefined;
  /** How many requests of a legacy server are being answered. */
  openPushes = 0;

  constructor(handlers: InputHandlers, more?: ClientCapabilities) {
    this.handlers = sortHandlers(handlers);
    this.capabilities = declareCapabilities(this.handlers, more);
  }
}
