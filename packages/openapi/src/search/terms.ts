/** Words of texts and questions, in the form in which they are compared. */
import { singularOf } from "../words/words.ts";

/** Words that say nothing about a tool. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a am an and any are as at be been by can could did do does for from had has have how i if in into is it its me my need of on one or " +
    "our please so some somebody someone something that the their them there these this those to us want was we what when where " +
    "which who whom whose will with would you your"
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
  let stem = singularOf(word);
  const ending = /(?:ing|ed)$/.exec(stem)?.[0];
  if (ending !== undefined && stem.length - ending.length >= 3) {
    stem = stem.slice(0, -ending.length);
    // "starred" is "star", but "billing" is "bill".
    if (/([bdgkmnprt])\1$/.test(stem)) stem = stem.slice(0, -1);
  }
  return stem.length > 3 && stem.endsWith("e") ? stem.slice(0, -1) : stem;
}

/** Other words for the same thing, as people and APIs use them. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    branch: ["ref"],
    config: ["configuration"],
    database: ["db"],
    db: ["database"],
    directory: ["folder"],
    doc: ["document"],
    env: ["environment"],
    file: ["content"],
    folder: ["directory"],
    org: ["organization"],
    organisation: ["organization", "org"],
    organization: ["org"],
    person: ["user"],
    photo: ["image"],
    picture: ["image"],
    pr: ["pull"],
    repo: ["repository"],
    repository: ["repo"],
    run: ["start", "trigger", "dispatch"],
    song: ["track"],
    start: ["run", "trigger", "dispatch"],
    webhook: ["hook"],
  }).map(([word, others]) => [stemOf(word), others.map(stemOf)]),
);

/** Other words for a word in its common form. */
export function synonymsOf(stem: string): readonly string[] {
  return SYNONYMS.get(stem) ?? [];
}
