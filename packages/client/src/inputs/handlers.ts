import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitUrlParams,
  FormValue,
  Implementation,
  Root,
} from "@toolwire/protocol";

/** What is known about the one who asks. */
export interface InputContext {
  /** The server that asks, as it presents itself: show it to the user, but decide nothing by it. */
  readonly server: Implementation | undefined;
  /** The request on whose behalf the server asks. Legacy servers say so over HTTP alone, and not always. */
  readonly request: { readonly method: string; readonly params: object | undefined } | undefined;
  /** Aborted when nobody waits for the answer any more: close the dialog. */
  readonly signal: AbortSignal;
}

/** What is known about a page that the user is to visit. */
export interface UrlInputContext extends InputContext {
  /** Resolves when the server says that the user is done there, which only servers of 2025-11-25 may do. */
  readonly completed: Promise<void>;
}

/** What the user did with a form. */
export interface FormAnswer {
  /** `accept`: filled in; `decline`: said no; `cancel`: walked away without a choice. */
  readonly action: "accept" | "decline" | "cancel";
  /** What was filled in. Fields that are left out take the default that the server gave them. */
  readonly content?: { readonly [field: string]: FormValue | undefined } | undefined;
}

/** What the user did with a link. */
export interface UrlAnswer {
  /** `accept`: agreed to open it, which does not say that they are done there. */
  readonly action: "accept" | "decline" | "cancel";
}

/**
 * Shows a form to the user, with its defaults filled in ({@link formDefaults}), and says what they did. Make clear
 * which server asks, for what and why, let the user review what is sent, and let them decline. Make no link of a URL in
 * it.
 */
export type FormHandler = (form: ElicitFormParams, context: InputContext) => FormAnswer | Promise<FormAnswer>;

/**
 * Asks the user whether to open a page, and opens it if they agree. Show the full address with its host made plain,
 * warn of what is suspicious about it (Punycode), open it outside of the client's reach, and never fetch it. When it
 * accepts, the server is asked again: wait until the user is back, or for `completed`, if that would come too early;
 * but that may never come, so let them go on or give up themselves.
 */
export type UrlHandler = (link: ElicitUrlParams, context: UrlInputContext) => UrlAnswer | Promise<UrlAnswer>;

/**
 * Asks the model. Let the user see and change what is asked and answered. Throw an `RpcError` with code -1 if they
 * refuse. Keep to `maxTokens`, take the first of the hints that fits, and limit how often a server may ask. Deprecated
 * since 2026-07-28, and still served.
 */
export type SamplingHandler = (
  params: CreateMessageParams,
  context: InputContext,
) => CreateMessageResult | Promise<CreateMessageResult>;

/**
 * The places the server may work in; each a `file:` URI without `..`. Ask the user before you expose them, and only
 * give those that are there and that they may open. Deprecated since 2026-07-28, and still served.
 */
export type RootsHandler = (context: InputContext) => readonly Root[] | Promise<readonly Root[]>;

/** What a client does when a server asks something. Whatever is given here is declared to servers as a capability. */
export interface InputHandlers {
  /** Asks the user. A function serves forms alone; pages have to be agreed to explicitly, with `url`. */
  readonly elicitation?:
    | FormHandler
    | { readonly form?: FormHandler | undefined; readonly url?: UrlHandler | undefined }
    | undefined;
  /** Asks the model; with `tools: true` also with tools in hand, with `context: true` with context of servers added. */
  readonly sampling?:
    | SamplingHandler
    | {
        readonly createMessage: SamplingHandler;
        readonly tools?: boolean | undefined;
        readonly context?: boolean | undefined;
      }
    | undefined;
  /** Lists the roots. If they change, call `client.rootsChanged()`. */
  readonly roots?: readonly Root[] | RootsHandler | undefined;
}
