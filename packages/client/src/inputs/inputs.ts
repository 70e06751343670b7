import type { ClientCapabilities } from "@toolwire/protocol";
import type { AwaitedPages } from "../legacy/awaited-pages.ts";
import type { FormHandler, InputHandlers, RootsHandler, SamplingHandler, UrlHandler } from "./handlers.ts";

/**
 * What servers can ask of this client, whichever way the question comes: as a request of a legacy server, or inside the
 * result of a modern one. What answers them is loaded with the first question.
 */
export class Inputs {
  // The handlers, each by what it serves.
  readonly form: FormHandler | undefined;
  readonly url: UrlHandler | undefined;
  readonly sample: SamplingHandler | undefined;
  readonly roots: RootsHandler | undefined;
  /** What to declare to servers: what there is a handler for, and what the application adds. */
  readonly capabilities: ClientCapabilities;
  /** The pages that users were sent to, from the first of them on. */
  pages: AwaitedPages | undefined;
  /** How many requests of a legacy server are being answered. */
  openPushes = 0;

  constructor({ elicitation, sampling, roots }: InputHandlers, more?: ClientCapabilities) {
    const asked = typeof elicitation === "function" ? { form: elicitation } : elicitation;
    const sampled = typeof sampling === "function" ? { createMessage: sampling } : sampling;
    // As methods of what they were given in, which may be an object with a state of its own.
    this.form = asked?.form?.bind(asked);
    this.url = asked?.url?.bind(asked);
    this.sample = sampled?.createMessage?.bind(sampled);
    this.roots = roots === undefined || typeof roots === "function" ? roots : () => roots;
    const { form, url, sample } = this;
    this.capabilities = {
      ...more,
      ...((form ?? url) && { elicitation: { ...(form && { form: {} }), ...(url && { url: {} }) } }),
      ...(sample && {
        sampling: { ...(sampled?.tools === true && { tools: {} }), ...(sampled?.context === true && { context: {} }) },
      }),
      ...(roots && { roots: {} }),
    };
  }
}
