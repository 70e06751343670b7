import type { Era, Outcome } from "../accounts/history.ts";
import type { ToolArguments, ToolName } from "../servers/task.ts";

/** A client of some SDK that is connected, reduced to what the load does with it. */
export interface Caller {
  /** Makes a call, and resolves to what it was told. Never rejects. */
  call(request: CallRequest): Promise<Outcome>;
  close(): Promise<void>;
}

/** A call to be made. */
interface CallRequest {
  readonly tool: ToolName;
  readonly args: ToolArguments;
  /** How long to wait for the answer. */
  readonly timeout: number;
  /** With this, the caller cancels it. */
  readonly signal?: AbortSignal | undefined;
  readonly onReport: (report: number) => void;
}

/** What a result says. One that is an error says that the tool has run, and has failed. */
export function describeResult(block: { readonly text?: string } | undefined, isError: unknown): Outcome {
  if (isError !== true) return { type: "answered", text: block?.text };
  return { type: "failed", ran: "maybe", code: "isError", message: String(block?.text).slice(0, 300) };
}

/** What a client tells besides the outcomes of its calls. */
export interface CallerListener {
  /** A second answer to a call has come. */
  answeredTwice(what: string): void;
}

/** A kind of client. */
export interface ClientKind {
  /** As it is called in tables. */
  readonly title: string;
  readonly era: Era;
  /** How many calls it makes at a time. */
  readonly atATime: number;
  /**
   * How long it waits for an answer. The official SDKs say nothing when a connection breaks over which no event has come yet, and
   * only this ends the wait.
   */
  readonly timeout: number;
  connect(url: string, listener: CallerListener): Promise<Caller>;
}
