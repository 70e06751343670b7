/** Words of texts and questions, in the form in which they are compared. */
import { singularOf } from "./words.ts";

/** Words that say nothing about a tool. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a am an and any are as at be been being but by can could did do does doing done for from had has have having he her his how i if in " +
    "into is it its just let may me mine must my need of on one onto or our ours over please shall she should so some somebody someone " +
    "something that the their them then there these they thing things this those to too under until us use used using want wants was we " +
    "were what when where whether which while who whom whose why will with within without would you your yours"
  ).split(" "),
);

/** The words of a text, in lower case: `listUserRepos` and `list_user_repos` have the same three. */
export function splitText(text: string): readonly string[] {
  const spaced = text
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replaceAll(/['’]s\b/g, "")
    .toLowerCase();
  return spaced.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Whether a word says nothing about a tool. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** The form of a word that its plural, its participles and its verb share: `reviews`, `reviewed` and `reviewing` are `review`. */
export function stemOf(word: string): string {
  let stem = singularOf(word).replace(/is(e|ed|ing|ation)$/, "iz$1");
  const ending = /(?:ing|ed)$/.exec(stem)?.[0];
  if (ending !== undefined && stem.length - ending.length >= 3) {
    stem = stem.slice(0, -ending.length);
    // "starred" is "star", but "billing" is "bill".
    if (/([bdgkmnprt])\1$/.test(stem)) stem = stem.slice(0, -1);
  }
  return stem.length > 3 && stem.endsWith("e") ? stem.slice(0, -1) : stem;
}
