/**
 * What it takes to speak with a server of the legacy era, and to answer what servers of either era ask: loaded with the first
 * such server, or the first question.
 */
export { playRound } from "../calls/rounds.ts";
export { openAgain, openPair, openRememberedPair } from "../legacy/open.ts";
export { toDiscovery } from "../legacy/handshake.ts";
export { initialize } from "../legacy/handshake.ts";
export { sendLogLevel } from "../legacy/handshake.ts";
export { answerPush } from "../legacy/server-requests.ts";
export { visitPages } from "../legacy/server-requests.ts";
export { firstAgreement } from "../connection/negotiate.ts";
export { noCommonRevision } from "../connection/agreement.ts";
