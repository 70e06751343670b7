/**
 * What a client that lists tools and calls them does without as long as all is well: loaded with whatever is needed first.
 * Bundlers make of every part that is loaded in its own way a file, and more files of what several parts share, so there are
 * few of them, each for a good reason.
 */
export { readStores } from "../cache/given-stores.ts";
export { mendCall } from "../calls/mending.ts";
export { toNoAnswer } from "../http/no-answer.ts";
export { Notices } from "../http/notices.ts";
export { explainRefusal } from "../http/refusal.ts";
export { toSendFailure } from "../http/send-failure.ts";
export { explainStray } from "../http/stray.ts";
export { allItems } from "../lists/pages.ts";
export { Passage } from "../middleware/passage.ts";
export { explain } from "../mistakes.ts";
export { KeptSubscription } from "../subscriptions/subscription.ts";
export { checkAgain } from "../tools/check-again.ts";
export { readMirror } from "../tools/mirrored-headers.ts";
export { prepareCheck } from "../tools/output.ts";
export { readToolList } from "../tools/tool-list.ts";
