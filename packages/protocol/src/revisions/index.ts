/**
 * The translation of the neutral model into each revision of the protocol, and which methods each of them has. What
 * revisions there are, and what they can do, is in the main entry point.
 *
 * @packageDocumentation
 */
export { elicitResultRewrite, restoreElicitResult } from "./elicitation.ts";
export { initializeParamsRewrite, translateClientCapabilities } from "./handshake.ts";
export { servesMethod, type Direction } from "./methods.ts";
export type { AnswerOf } from "./results.ts";
export type { Rewrite } from "./rewrite.ts";
export { createMessageResultRewrite } from "./sampling.ts";
export {
  translateNotification,
  translateRequest,
  translateResult,
  translatorFor,
  type Translator,
} from "./translate.ts";
