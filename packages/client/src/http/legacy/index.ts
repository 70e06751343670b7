/** What HTTP has beyond POSTs and their answers before 2026-07-28, in one part that is loaded with the first such server. */
export { LegacySession } from "./session.ts";
export { createSsePairChannel } from "./sse-pair.ts";
