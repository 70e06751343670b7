/** The records of a run, to be compared afterwards. */
import type { ToolName } from "../servers/task.ts";

export type Era = "legacy" | "modern";

/** What an error says about whether the call has run. */
export type Ran =
  /** No server has looked at it. */
  | "no"
  /** It may have run, or may still. */
  | "maybe"
  /** Nothing that a caller could rely on. */
  | "unclear";

/** The outcome as the caller was told it. */
export type Outcome =
  | { readonly type: "answered"; readonly text: string | undefined }
  /** The caller has cancelled it. */
  | { readonly type: "cancelled" }
  /** Nothing, long after its time was over. */
  | { readonly type: "lost" }
  | { readonly type: "failed"; readonly ran: Ran; readonly code: string; readonly message: string };

/** One call that is over. */
export interface CallRecord {
  readonly call: string;
  /** The client that has made it, such as "SDK 1". */
  readonly client: string;
  readonly era: Era;
  readonly tool: ToolName;
  /** Whether nothing was done to servers meanwhile that would excuse a failure. */
  readonly isCalm: boolean;
  readonly outcome: Outcome;
  /** How many reports of progress there should be. */
  readonly reports: number;
  /** The reports that came, in their order. */
  readonly reported: readonly number[];
  /** When it began and ended, in milliseconds of the run. */
  readonly begun: number;
  readonly settled: number;
}
