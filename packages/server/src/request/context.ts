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
import type { Awaitable } from "../definition/tool.ts";
import type { Principal } from "../serving/contract.ts";

/** What to ask the user in a form: a flat object of simple fields, described by a schema. */
export interface FormQuestion<S extends AnySchema = AnySchema> {
  /** Says to the user what is asked, and why. */
  readonly message: string;
  /** Strings, numbers, booleans and choices. Never ask for passwords or keys this way: use a {@link PageQuestion}. */
  readonly schema: S;
}

/** Where to send the user: what they enter on that page stays between them and you. */
export interface PageQuestion {
  /** Says to the user where the link leads, and why. */
  readonly message: string;
  /** Never with credentials or personal data in it. */
  readonly url: string;
  /** Names this visit in `notifications/elicitation/complete`, which 2025-11-25 alone knows. Made up unless given. */
  readonly elicitationId?: string | undefined;
}

/** What the user did about a question. */
export type Elicited<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" | "cancel"; readonly content?: undefined };

/** Asks the user, and goes on with what they entered. Throws `InputDeclined` if they would not. */
export interface Elicit {
  /** Resolves to the filled-in form, checked against the schema. */
  <const S extends AnySchema>(key: string, question: FormQuestion<S>): Promise<InferOutput<S>>;
  /** Resolves when the user has agreed to visit the page; whether they are done there, only you can know. */
  (key: string, question: PageQuestion): Promise<void>;
}

/** Asks the user, and tells what they did. */
export interface TryElicit {
  <const S extends AnySchema>(key: string, question: FormQuestion<S>): Promise<Elicited<InferOutput<S>>>;
  (key: string, question: PageQuestion): Promise<Elicited<undefined>>;
}

/**
 * What a handler knows about the request it serves, and what it can do besides answering. All members may be taken out
 * of it: `run(args, { log, signal })`.
 *
 * `elicit`, `sample` and `roots` ask the client. A legacy client is sent a request; a modern one gets an interim answer
 * and calls again, and the handler then runs once more from the top, with the answers at hand. So give each question a
 * key of its own, and wrap what must happen only once in `once`.
 */
export interface Context {
  /** Aborted when the client gives up on the request, or a time limit ends it. */
  readonly signal: AbortSignal;
  readonly requestId: RequestId;
  /** The revision of the protocol that this request is served in. */
  readonly revision: Revision;
  readonly era: Era;
  /** How the client presents itself. Self-reported: decide nothing by it. */
  readonly clientInfo: Implementation | undefined;
  /** What the client can do. */
  readonly clientCapabilities: ClientCapabilities;
  /** Who is calling, where the binding authenticates. */
  readonly principal: Principal | undefined;
  /** The `_meta` of the request, as it came. */
  readonly meta: RequestMeta;
  /** A header of the request, where the binding has headers. */
  readonly header: (name: string) => string | undefined;

  /**
   * Reports how far the work has come, if the client asked to hear of it. A report that does not go forward is dropped.
   */
  readonly progress: (progress: number, total?: number, message?: string) => void;
  /** Sends a log message to the client, if it wants those of this severity. Never put secrets in it. */
  readonly log: (level: LoggingLevel, data: unknown, logger?: string) => void;
  /**
   * Sends a notification that belongs to this request. Resolves when the client has room for more. Log messages that
   * the client does not want are dropped here too.
   */
  readonly notify: (notification: { readonly method: string; readonly params?: object | undefined }) => Promise<void>;

  /** Asks the user; throws `InputDeclined` if they decline. */
  readonly elicit: Elicit;
  /** Asks the user; tells if they decline. */
  readonly tryElicit: TryElicit;
  /** Asks the client's model. */
  readonly sample: (key: string, params: CreateMessageParams) => Promise<CreateMessageResult>;
  /** Asks which directories the client works in. */
  readonly roots: (key?: string) => Promise<readonly Root[]>;
  /**
   * Does something once, however often the handler is run again to answer questions. What it returns travels through
   * the client, sealed, so it has to be JSON, and should be small.
   */
  readonly once: <T>(key: string, work: () => Awaitable<T>) => Promise<T>;

  /**
   * Ends the stream that carries the answer while the work goes on; the client comes back for the rest after about
   * `retryDelay`. Only legacy HTTP sessions can do that; elsewhere nothing happens.
   */
  readonly suspendStream: (retryDelay?: number) => void;
}
