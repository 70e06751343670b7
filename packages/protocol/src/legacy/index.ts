/**
 * The legacy era (2025-11-25 and earlier): how the neutral model is translated into older revisions, and how the
 * parameters of requests are checked that only these revisions have. `internal.ts` is the only file outside this folder
 * that imports it.
 */
export { createMessageResultRewrite, elicitResultRewrite, restoreElicitResult } from "./client-features.ts";
export { initializeParamsRewrite, translateClientCapabilities } from "./handshake.ts";
export { readInitializeParams, readSetLevelParams, readSubscribeParams } from "./params.ts";
export type { Rewrite } from "./rewrite.ts";
export type { AnswerOf } from "./tables.ts";
export {
  translateNotification,
  translateRequest,
  translateResult,
  translatorFor,
  type Translator,
} from "./translate.ts";
