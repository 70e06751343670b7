/**
 * What it takes to speak with a server of the legacy era, and to answer what servers of either era ask: loaded with the first
 * such server, or the first question.
 */
export { playRound } from "../calls/input-rounds.ts";
export { openAgain, openPair, openRememberedPair } from "../connection/legacy/ways.ts";
export { LegacySession } from "../http/legacy/session.ts";
export { createSsePairChannel } from "../http/legacy/sse-pair.ts";
export { toDiscovery } from "../legacy/discovery.ts";
export { initialize } from "../legacy/handshake.ts";
export { sendLogLevel } from "../legacy/log-level.ts";
export { answerPush } from "../legacy/pushes.ts";
export { visitPages } from "../legacy/url-elicitations.ts";
export { firstAgreement } from "../negotiation/first-agreement.ts";
export { noCommonRevision } from "../negotiation/no-common-revision.ts";
