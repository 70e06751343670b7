/**
 * Everything that it takes to answer what servers ask, whichever way they ask it, in one part that is loaded with the first
 * question. Many servers never have one.
 */
export { playRound } from "../calls/input-rounds.ts";
export { answerPush } from "../legacy/pushes.ts";
export { visitPages } from "../legacy/url-elicitations.ts";
