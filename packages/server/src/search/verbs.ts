/** Verbs that say what an operation does. */

/** Verbs that begin the ids of operations, and end paths such as `/orders/{id}/cancel`. */
const VERBS: ReadonlySet<string> = new Set(
  (
    "accept activate add allow apply approve archive assign associate attach authorize batch block bulk calculate cancel capture " +
    "change check clear clone close complete compute confirm connect convert copy count create deactivate decline delete deliver " +
    "deploy describe detach disable disconnect dismiss download duplicate edit email enable enqueue enter estimate evaluate " +
    "execute exit expire export fetch finalize find finish fix follow force fork generate get grant hide import insert install invite " +
    "invoke join keep launch leave like list load lock login logout lookup make mark merge migrate modify move mute notify open " +
    "partial patch pause pay pin play poll post prepare prevent preview process provision publish purchase purge put query read reassign " +
    "rebuild receive redeliver refresh refund refuse register reject release reload remove rename render renew reopen reorder replace " +
    "report request rerun resend reset resolve restart restore resubmit resume retrieve retry return reverse revert revoke rotate run " +
    "save scale schedule search seek select send set share show sign simulate skip snooze star start stop store stream submit " +
    "subscribe suspend swap switch sync synchronize terminate test toggle transfer transition trigger try unarchive unassign unassociate unblock " +
    "undelete undo unfollow uninstall unlike unlink unlock unmark unpin unpublish unregister unstar unsubscribe unsuspend update " +
    "upgrade upload upsert use validate verify view void vote watch withdraw write"
  ).split(" "),
);

/** Verbs that are no nouns. */
const PLAIN_VERBS: ReadonlySet<string> = new Set("add create delete get remove retrieve".split(" "));

/** Verbs at the end of an id whose first word is none: `bankTransferList`. */
const LAST_VERBS: ReadonlySet<string> = new Set([...PLAIN_VERBS, "cancel", "list", "search", "update"]);

/** Whether a word is a verb at the beginning of an id. */
export function isVerb(word: string | undefined): word is string {
  return word !== undefined && VERBS.has(word);
}

/** Whether the last word of an id is its verb: `accountsBalanceGet`, `transferIntentCreate`. */
export function isLastVerb(word: string | undefined, first: string | undefined): word is string {
  if (word === undefined || !LAST_VERBS.has(word)) return false;
  return !isVerb(first) || (PLAIN_VERBS.has(word) && !LAST_VERBS.has(first));
}
