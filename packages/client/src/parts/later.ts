/**
 * What a client that lists tools and calls them does without as long as all is well: loaded with whatever is needed first.
 * Bundlers make of every part that is loaded in its own way a file, and more files of what several parts share, so there are
 * few of them, each for a good reason.
 */
export { readStores } from "../cache/user-stores.ts";
export { mendCall } from "../calls/recovery.ts";
export { allItems } from "../calls/pages.ts";
export { Passage } from "../middleware/run-middleware.ts";
export { explain } from "../check-options.ts";
export { KeptSubscription } from "../subscriptions/subscription.ts";
export { checkAgain } from "../catalog/output.ts";
export { readMirror } from "../catalog/catalog.ts";
export { prepareCheck } from "../catalog/output.ts";
export { readToolList } from "../catalog/catalog.ts";
