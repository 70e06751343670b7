/**
 * The engine: matches responses to requests by id over any channel, watches deadlines, carries progress and
 * cancellation. Whoever writes a binding of its own needs it; applications do not.
 *
 * @packageDocumentation
 */
export { callListener } from "./call-listener.ts";
export { Caller, type CallerOptions, type CallOptions, type CallSink, type CallUnderWay } from "./caller.ts";
export { Deadlines, type Deadlined } from "./deadlines.ts";
export { Multiplexer, type MultiplexerOptions } from "./multiplexer.ts";
export { PendingExchanges } from "./pending.ts";
export { escapeUnprintable, quoteWords } from "../messages/quote-words.ts";
export { isShuttingDown, shuttingDownError } from "../messages/shutting-down.ts";
export { UnsentError } from "../transport/unsent-error.ts";
export { CountedRequests, type RequestLimit } from "./request-limit.ts";
export { whenAborted } from "./when-aborted.ts";
