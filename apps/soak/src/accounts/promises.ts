/** Which promise of the READMEs a failed call breaks. */
import { sharesConnection, type Cell } from "../cells.ts";
import { endsServer, type CallRecord, type FaultRecord, type Outcome } from "./history.ts";

/** Everything that is checked, and what it means if the check fails. */
export const PROMISES = {
  "settles-once": "a call never settled, or settled twice",
  "executes-once": "a call was executed more often than it may be",
  "answer-means-executed": "a call was answered that no server has executed",
  "unsent-means-unexecuted": "a call was executed though its error says that no server has processed it",
  "right-answer": "an answer, question or progress report belongs to another call",
  "waits-for-connection": "a call failed at once instead of waiting for the next connection",
  "renews-session": "a call failed because its session was forgotten, and was not sent again",
  "resumes-answer": "an answer with events was given up though its server went on",
  "answers-in-time": "a call timed out that had plenty of time",
  "fails-by-fault-only":
    "a call failed though nothing was done to its server or connection, or in a way that no fault explains",
  "timers-fire": "calls failed so fast that no timer could fire between them",
  "silent-once-settled": "a call was sent, or reported on, after it had settled",
  "keeps-reconnecting": "a client gave up for good, or did not connect again though its server was there",
  "one-response": "a server answered a request twice, or answered one that was never made",
  "server-survives": "a server ended by itself, or reported an error of its own",
  "closes-cleanly": "a client did not close, or left processes behind",
} as const;

/** The name of a check. */
export type PromiseName = keyof typeof PROMISES;

/** How many times `retry` of the clients sends a call that may be repeated. */
export const REPEAT_ATTEMPTS = 4;

type Failure = Extract<Outcome, { type: "failed" }>;

/** Whether an error says that no server has processed the call. */
export function saysUnexecuted({ error, code, status }: Failure): boolean {
  if (isPutOff(status) || error === "UsageError") return true;
  return error === "TransportError" && (code === "CONNECT_FAILED" || code === "SESSION_EXPIRED");
}

/** The circumstances that decide whether a failure is allowed. */
export interface Circumstances {
  readonly cell: Cell;
  /** The faults that the client can have felt while it waited for the call. */
  readonly faults: readonly FaultRecord[];
  /** Whether the lane of the call has lost another call with the same connection before. */
  readonly hasLostBefore: boolean;
}

/** The promise that a call breaks by how it ended; `undefined` if it may end like this. */
export function findBrokenPromise(call: CallRecord, circumstances: Circumstances): PromiseName | undefined {
  const { outcome, kind } = call;
  if (outcome.type === "answered") return outcome.isRight ? undefined : "right-answer";
  if (outcome.type === "cancelled") return kind === "cancelled" ? undefined : "fails-by-fault-only";
  if (outcome.code === "TIMEOUT") return kind === "late" ? undefined : "answers-in-time";
  return sharesConnection(circumstances.cell)
    ? judgeOnConnection(outcome, circumstances)
    : judgeOverHttp(call, outcome, circumstances);
}

/** A call is lost with its connection. Those that come later wait for the next one, so a lane loses one per connection. */
function judgeOnConnection(failure: Failure, { cell, faults, hasLostBefore }: Circumstances): PromiseName | undefined {
  const isLost = failure.error === "TransportError" && failure.code === "CONNECTION_LOST";
  // A server of the HTTP+SSE pair keeps a session with its stream, and refuses requests when it has lost that.
  if (cell.binding === "sse" && isSessionRefusal(failure)) return "renews-session";
  if (!isLost && failure.code === "CONNECT_FAILED") return "waits-for-connection";
  // Requests of the HTTP+SSE pair are refused one by one while the server shuts down. The connection is not lost by that.
  const isRefused = cell.binding === "sse" && isPutOff(failure.status);
  if (!isLost && !isRefused) return "fails-by-fault-only";
  if (isLost && hasLostBefore) return "waits-for-connection";
  return faults.length > 0 ? undefined : "fails-by-fault-only";
}

/** Every call has a connection of its own, which can fail while there is a fault, and at no other time. */
function judgeOverHttp(call: CallRecord, failure: Failure, { cell, faults }: Circumstances): PromiseName | undefined {
  if (isSessionRefusal(failure)) {
    // It is sent again once, so it may be lost if the server ends again meanwhile.
    const endedMeanwhile = faults.some((fault) => endsServer(fault) && fault.from >= call.begun);
    return failure.code === "SESSION_EXPIRED" && endedMeanwhile ? undefined : "renews-session";
  }
  if (faults.length === 0 || !isLoss(failure)) return "fails-by-fault-only";
  const canResume = cell.variant === "sessions" && call.reports > 0 && failure.code === "CONNECTION_LOST";
  return canResume && !faults.some(endsServer) ? "resumes-answer" : undefined;
}

/** The errors that a call may get when its server or connection is gone. */
function isLoss({ error, code, status }: Failure): boolean {
  if (isPutOff(status)) return true;
  return error === "TransportError" && (code === "CONNECT_FAILED" || code === "CONNECTION_LOST");
}

/** Servers answer 404 if they do not know the session of a request. Nothing else that is asked for here can be missing. */
function isSessionRefusal({ code, status }: Failure): boolean {
  return code === "SESSION_EXPIRED" || status === 404;
}

/** The status by which a server says that it has not looked at a request, because it is busy or shuts down. */
function isPutOff(status: number | undefined): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}
