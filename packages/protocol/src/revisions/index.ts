/** What differs between the revisions of the protocol, and the translation of the neutral model into each of them. */
export { restoreElicitResult } from "./elicitation.ts";
export {
  allowsContent,
  errorCodeFor,
  hasFeature,
  type ContentPlace,
  type Feature,
  type RevisedError,
} from "./features.ts";
export { translateClientCapabilities } from "./handshake.ts";
export { servesMethod, type Direction } from "./methods.ts";
export type { AnswerOf } from "./results.ts";
export {
  eraOf,
  isRevision,
  LATEST_LEGACY_REVISION,
  LATEST_REVISION,
  REVISIONS,
  type Era,
  type LegacyRevision,
  type Revision,
} from "./revision.ts";
export type { Rewrite } from "./rewrite.ts";
export {
  translateNotification,
  translateRequest,
  translateResult,
  translatorFor,
  type Translator,
} from "./translate.ts";
