import type {
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitUrlParams,
  FormValue,
  Implementation,
  Root,
} from "@toolwire/protocol";
import type { AwaitedPages } from "./awaited-pages.ts";

/**
 * The handlers for questions of servers, however a question comes: as a request of the server, or in a result.
 */
export class Inputs {
  readonly form: FormHandler | undefined;
  readonly url: UrlHandler | undefined;
  readonly sample: SamplingHandler | undefined;
  readonly roots: RootsHandler | undefined;
  /** The capabilities to declare to servers: one for each handler, and those that the application adds. */
  readonly capabilities: ClientCapabilities;
  /** The pages that users were sent to, from the first of them on. */
  pages: AwaitedPages | undefined;
  /** How many requests of the server are being answered. */
  openRequests = 0;

  constructor({ elicitation, sampling, roots }: InputHandlers, more?: ClientCapabilities) {
    const asked = typeof elicitation === "function" ? { form: elicitation } : elicitation;
    const sampled = typeof sampling === "function" ? { createMessage: sampling } : sampling;
    // Bound, because they may be methods of an object with state.
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

/** The circumstances of a question from a server. */
export interface InputContext {
  /**
   * The name and version of the server that asks. Self-reported: show it to the user, but do not base decisions on it.
   */
  readonly server: Implementation | undefined;
  /**
   * The request for which the server asks. Known for modern servers, and for legacy servers over HTTP in most cases.
   */
  readonly request: { readonly method: string; readonly params: object | undefined } | undefined;
  /** Aborts when the answer is no longer needed: close the dialog. */
  readonly signal: AbortSignal;
}

/** The circumstances of a request to visit a page. */
export interface UrlInputContext extends InputContext {
  /** Resolves when the server says that the user is done there. Only servers of 2025-11-25 can say so. */
  readonly completed: Promise<void>;
}

/** The user's answer to a form. */
export interface FormAnswer {
  /** `accept`: filled in; `decline`: refused; `cancel`: dismissed without a choice. */
  readonly action: "accept" | "decline" | "cancel";
  /** The values that the user entered. Fields that are left out get the server's defaults. */
  readonly content?: { readonly [field: string]: FormValue | undefined } | undefined;
}

/** The user's answer to a link. */
export interface UrlAnswer {
  /** `accept`: the user agreed to open it, which does not mean that they are done there. */
  readonly action: "accept" | "decline" | "cancel";
}

/**
 * Shows a form to the user, with its defaults filled in ({@link formDefaults}), and returns their answer. Make clear
 * which server asks, for what and why. Let the user review what is sent, and let them decline. Do not turn URLs in the
 * form into links.
 */
export type FormHandler = (form: ElicitFormParams, context: InputContext) => FormAnswer | Promise<FormAnswer>;

/**
 * Asks the user whether to open a page, and opens it if they agree. Show the full URL and emphasize its host, warn
 * about suspicious ones (Punycode), open it where the client cannot see its content, and never fetch it. When the
 * handler accepts, the client calls the server again. If that would be too early, wait until the user is back, or for
 * `completed`. `completed` may never resolve, so let the user continue or give up.
 */
export type UrlHandler = (link: ElicitUrlParams, context: UrlInputContext) => UrlAnswer | Promise<UrlAnswer>;

/**
 * Asks the model. Let the user see and change what is asked and answered. Throw an `RpcError` with code -1 if they
 * refuse. Respect `maxTokens`, use the first hint that fits, and limit how often a server may ask. Deprecated since
 * 2026-07-28, but still supported.
 */
export type SamplingHandler = (
  params: CreateMessageParams,
  context: InputContext,
) => CreateMessageResult | Promise<CreateMessageResult>;

/**
 * Returns the directories that the server may work in, each a `file:` URI without `..`. Ask the user before you expose
 * them, and return only those that exist and that the user may open. Deprecated since 2026-07-28, but still supported.
 */
export type RootsHandler = (context: InputContext) => readonly Root[] | Promise<readonly Root[]>;

/** Handlers for questions from servers. The client declares each one as a capability. */
export interface InputHandlers {
  /** Asks the user. A function handles forms only; to handle pages as well, give `{ form, url }`. */
  readonly elicitation?:
    | FormHandler
    | { readonly form?: FormHandler | undefined; readonly url?: UrlHandler | undefined }
    | undefined;
  /**
   * Asks the model. `tools: true` declares that it can use tools, `context: true` that it can include context of
   * servers.
   */
  readonly sampling?:
    | SamplingHandler
    | {
        readonly createMessage: SamplingHandler;
        readonly tools?: boolean | undefined;
        readonly context?: boolean | undefined;
      }
    | undefined;
  /** The directories to expose to servers. If they change, call `client.rootsChanged()`. */
  readonly roots?: readonly Root[] | RootsHandler | undefined;
}
