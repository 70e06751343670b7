/** What an extension does with the tools of a server: with the way they are listed, and with calls. */
import type {
  CallToolParams,
  CallToolResult,
  InputRequest,
  InputRequiredResult,
  Progress,
  Revision,
  RpcError,
  Tool,
  Validation,
} from "@toolwire/protocol";
import type { Context } from "./context.ts";
import type { StoredCall } from "./extension-host.ts";
import type { Awaitable, ToolDefinition } from "./tool.ts";

/** A tool as an extension sees it when the tool is defined. */
export interface NamedTool {
  readonly name: string;
  /** As it was given to `tool()`, with the members that extensions add. */
  readonly definition: ToolDefinition;
}

/** What an extension does with one tool. */
export interface ToolHooks {
  /** Changes how the tool is listed in a revision. Gets a copy, and returns it or another. `undefined` leaves it out of the list. */
  readonly list?: ((listing: Tool, revision: Revision) => Tool | undefined) | undefined;
  /**
   * Runs around each call, inside the middleware of the server and outside that of the tool. `next` runs the tool. The result is what the
   * client gets, unless the call was answered early.
   */
  readonly call?:
    | ((call: ExtendedCall, next: () => Promise<CallToolResult | InputRequiredResult>) => Awaitable<object>)
    | undefined;
}

/** A call of a tool, as an extension sees it. */
export interface ExtendedCall {
  readonly tool: Tool;
  readonly params: CallToolParams;
  /** The context that the handler of the tool gets: the same object. */
  readonly context: Context;
  /** Whether the client declares the extension, in a revision in which it is declared. */
  readonly isDeclared: boolean;
  /**
   * The receiver of the outcome, if nobody waits for the answer any more: the call was answered early, or goes on by
   * {@link ExtensionHost.call} with this very run.
   */
  readonly run: DetachedRun | undefined;
  /** The call as it can be kept, and go on by {@link ExtensionHost.call}: without headers, answers and what belongs to this request. */
  stored(): StoredCall;
  /** Checks the arguments, as the call itself will. */
  validate(): Promise<Validation>;
  /** The answers and results of `once` that the call has so far. Work that is still being done is not among them. */
  journal(): CallJournal;
  /**
   * Answers the request now, while the call goes on. What the call comes to is passed to `run.ended`, once. From now on, its progress and
   * its questions go to `run`, and a cancellation of the request has no effect. Throws a `UsageError` if it was answered already.
   */
  answerEarly(result: object, run: DetachedRun): DetachedCall;
}

/** The answers that a call has got, and the results of `once`, by key. */
export interface CallJournal {
  readonly answers: { readonly [key: string]: unknown };
  /** Each in an object of its own, since JSON has no `undefined`. */
  readonly done: { readonly [key: string]: { readonly value?: unknown } };
}

/** A call that goes on after its request was answered. */
export interface DetachedCall {
  /** Tells the handler to stop. */
  abort(reason: unknown): void;
}

/** The receiver of what a detached call does. */
export interface DetachedRun {
  readonly questions: RunQuestions;
  /** Gets the outcome, once: what the client would have got. */
  ended(outcome: CallOutcome): void;
  /** Gets the progress that the handler reports, whether or not the client wants it. */
  progress?(progress: Progress): void;
}

/** What a call has come to. */
export type CallOutcome =
  | { readonly kind: "result"; readonly result: CallToolResult }
  /** The error that the client would have got. */
  | { readonly kind: "error"; readonly error: RpcError }
  /** The handler has asked a question that is open, and was ended: {@link RunQuestions.ask} has thrown `InputRequired`. */
  | { readonly kind: "suspended" };

/** The questions and steps of a detached call. */
export interface RunQuestions {
  /**
   * Resolves to the answer of the client as it came. If an answer does not fit, the question is asked again with the number of answers so
   * far, and what was wrong with the last one. Throws `InputRequired` to end the run until there is an answer.
   */
  ask(key: string, request: InputRequest, attempt: number, problem: string | undefined): Promise<unknown>;
  /** Does work once, however often the handler runs. */
  once<T>(key: string, work: () => Awaitable<T>): Promise<T>;
}
