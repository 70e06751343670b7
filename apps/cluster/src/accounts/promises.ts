/** Everything that is checked for each engine and number of processes, and what it means. */
export const PROMISES = {
  "settles-once":
    "every call is answered, is cancelled by its caller, or fails: none is lost silently, none is answered twice",
  "runs-once": "no call has its effect twice",
  "answer-means-effect": "an answered call has had its effect",
  "says-whether-it-ran": "every error says either that nothing was run, or that the call may have run",
  "unread-means-not-run": "a call whose error says that nothing was run has had no effect",
  "right-answer": "an answer, and each question, belongs to its call",
  "reports-in-order":
    "an answered call has got each of its reports of progress once, in order, also over streams that were cut",
  "keeps-sessions": "no server forgets a session",
  "calm-calls-succeed":
    "no call fails while nothing but streams is broken: not before the faults, and not while all processes are replaced",
  "calm-cancellation": "a call that is cancelled at that time does not run to its end",
  "servers-survive": "no server ends by itself, reports an error of its own, or is left behind",
} as const;

/** The name of a check. */
export type PromiseName = keyof typeof PROMISES;
