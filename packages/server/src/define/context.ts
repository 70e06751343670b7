import type {
  AnySchema,
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  Era,
  Implementation,
  InferOutput,
  LoggingLevel,
  RequestId,
  RequestMeta,
  Revision,
  Root,
} from "@toolwire/protocol";
import type { ContextMembers } from "./members.ts";
import type { Awaitable } from "./tool.ts";
import type { Principal } from "../origin.ts";

/** A form for the user to fill in: a flat object of simple fields, described by a schema. */
export interface FormQuestion<S extends AnySchema = AnySchema> {
  /** Tells the user what you ask for, and why. */
  readonly message: string;
  /** Strings, numbers, booleans and choices. Never ask for passwords or keys this way: use a {@link PageQuestion}. */
  readonly schema: S;
}

/** A page for the user to visit. The client does not see what they enter there. */
export interface PageQuestion {
  /** Tells the user where the link leads, and why. */
  readonly message: string;
  /** The address of the page. Never put credentials or personal data in it. */
  readonly url: string;
  /** Identifies this visit in `notifications/elicitation/complete`, which only 2025-11-25 has. Default: random. */
  readonly elicitationId?: string | undefined;
}

/** How the user reacted to a question. */
export type Elicited<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" | "cancel"; readonly content?: undefined };

/** Asks the user, and returns what they entered. Throws `InputDeclined` if they decline or cancel. */
export interface Elicit {
  /** Resolves to the filled-in form, validated against the schema. */
  <const S extends AnySchema>(key: string, question: FormQuestion<S>): Promise<InferOutput<S>>;
  /** Resolves when the user has agreed to visit the page, not when they are done there. */
  (key: string, question: PageQuestion): Promise<void>;
}

/** Asks the user, and returns whether they accepted, declined or cancelled. */
export interface TryElicit {
  <const S extends AnySchema>(key: string, question: FormQuestion<S>): Promise<Elicited<InferOutput<S>>>;
  (key: string, question: PageQuestion): Promise<Elicited<undefined>>;
}

/**
 * Tells a handler about its request, and lets it do more than answer. You can destructure it:
 * `run(args, { log, signal })`.
 *
 * `elicit`, `sample` and `roots` ask the client. A legacy client is sent a request; a modern one gets an interim answer
 * and calls again, and the handler then runs again from the top, with the answers available. So give each question a
 * key of its own, and wrap what must happen only once in `once`.
 */
export interface Context extends ContextMembers {
  /** Aborts when the client cancels the request, or when a time limit ends it. */
  readonly signal: AbortSignal;
  readonly requestId: RequestId;
  /** The revision of the protocol that this request is served in. */
  readonly revision: Revision;
  readonly era: Era;
  /** The client's name and version. Self-reported: do not base decisions on it. */
  readonly clientInfo: Implementation | undefined;
  /** The capabilities that the client declared. */
  readonly clientCapabilities: ClientCapabilities;
  /** The authenticated caller, if the binding authenticates callers. */
  readonly principal: Principal | undefined;
  /** The `_meta` of the request, as it came. */
  readonly _meta: RequestMeta;
  /** The lowest severity of log messages that the client wants; `undefined` if it wants none. */
  readonly logLevel: LoggingLevel | undefined;
  /**
   * Looks up a header of the request, if the binding has headers. With the option `auth`, `authorization` and `dpop` are hidden: a
   * token that was made for this server must not be passed on to another one.
   */
  readonly header: (name: string) => string | undefined;
  /**
   * Throws `InsufficientScope` unless the caller has all of these scopes: for those that depend on the arguments. Call it before the
   * handler has effects or sends anything: then an HTTP client gets a 403, logs in for the scopes, and calls again.
   */
  readonly requireScopes: (...scopes: readonly string[]) => void;

  /** Reports progress, if the client asked for it. A report that does not increase is dropped. */
  readonly progress: (progress: number, total?: number, message?: string) => void;
  /** Sends a log message to the client, if it wants messages of this severity. Never put secrets in it. */
  readonly log: (level: LoggingLevel, data: unknown, logger?: string) => void;
  /**
   * Sends a notification that belongs to this request. Resolves when the client has room for more, or is gone. You need
   * not await it. Log messages that the client does not want are dropped here too.
   */
  readonly notify: (notification: { readonly method: string; readonly params?: object | undefined }) => Promise<void>;

  /** Asks the user to fill in a form or to visit a page. Throws `InputDeclined` if they decline. */
  readonly elicit: Elicit;
  /** Like `elicit`, but returns the user's action instead of throwing. */
  readonly tryElicit: TryElicit;
  /** Asks the client's model. */
  readonly sample: (key: string, params: CreateMessageParams) => Promise<CreateMessageResult>;
  /** Asks which directories the client works in. */
  readonly roots: (key?: string) => Promise<readonly Root[]>;
  /**
   * Runs `work` once, even if the handler runs several times because of questions. Its result travels through the
   * client, sealed, so it must be JSON and should be small. The client can send the same state again, so work after the
   * last question may happen again: let a key that was made before the question tell repeated work apart.
   */
  readonly once: <T>(key: string, work: () => Awaitable<T>) => Promise<T>;

  /**
   * Ends the stream that carries the answer while the work goes on. The client reconnects for the rest after about
   * `retryDelay` milliseconds. Works in legacy HTTP sessions only; elsewhere it does nothing.
   */
  readonly suspendStream: (retryDelay?: number) => void;
}
