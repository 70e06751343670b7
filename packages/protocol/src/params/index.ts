/** The checks that stand between what a peer sent and the code that uses it. */
export { claimsModernEra, readProtocolVersion, readRequestMeta, type PerRequestMeta } from "./meta.ts";

/*
 * What a server checks before it looks at the parameters of a request. Each function returns the object that it was
 * given, or throws an `RpcError` -32602 that says which member is wrong. Members that the protocol does not know are
 * left alone. One file per feature, so that a bundle has only the checks of what it uses.
 */
export { readCompleteParams } from "./completion.ts";
export { findConversationProblem, type ConversationProblem } from "./conversation.ts";
export { readInitializeParams, readSetLevelParams, readSubscribeParams } from "./legacy.ts";
export { readListParams } from "./lists.ts";
export { readGetPromptParams } from "./prompts.ts";
export { readReadResourceParams } from "./resources.ts";
export { readListenParams } from "./subscriptions.ts";
export { readCallToolParams } from "./tools.ts";
