import type { Cancellation } from "@toolwire/server";
import type { TimedStep } from "../log/call-record.ts";

/** One `tools/call` on its way through the steps. Routes write down here what the record will say. */
export interface Call {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly principal: string | undefined;
  /** Aborts when the caller cancels. Made on first use. */
  readonly signal: AbortSignal;
  /** The same for code that every call runs through: a signal costs more than most steps. */
  readonly cancellation: Cancellation;
  /** Milliseconds by step, written by the steps. */
  readonly steps: { [Step in TimedStep]?: number };
  httpStatus: number | undefined;
  attempts: number;
  firstByteMs: number | undefined;
  responseBytes: number;
  isTruncated: boolean;
  /** Why the API failed, for the operator: method, host and reason. The caller is told less. */
  failure: string | undefined;
  /** What was sent and nobody may see: credentials, tokens, values of references. The answer to the caller contains none of it. */
  secrets: readonly string[] | undefined;
  /** What the caller has sent besides arguments, which the answer may repeat. */
  forwarded: readonly string[] | undefined;
}
