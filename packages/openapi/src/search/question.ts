/** Questions of people, such as "cancel a subscription", taken apart. */
import { isVerb } from "../words/verbs.ts";
import { isPlural } from "../words/words.ts";
import { type Action, meaningsOf } from "./actions.ts";
import { isStopWord, splitText, stemOf, synonymsOf } from "./terms.ts";

/** A word of a question, with other words for it. */
interface Concept {
  /** The word itself comes first. */
  readonly terms: readonly string[];
  /** How much it counts that a tool has it. */
  readonly weight: number;
}

/** A question, taken apart. */
export interface Question {
  readonly concepts: readonly Concept[];
  /** What is to be done. Empty if the question does not say. */
  readonly actions: readonly Action[];
  /** Whether many things are meant, or one. `undefined` if the question does not say. */
  readonly isMany: boolean | undefined;
}

/** Words after a verb that could be a noun: "fork this repository", "comment on an issue". */
const AFTER_VERB: ReadonlySet<string> = new Set("a an the this that my it on these".split(" "));

/** Verbs that read one thing, if it is a singular. */
const ONE_VERBS: ReadonlySet<string> = new Set(["describe", "get", "read", "show", "view"]);

/** A verb tells tools apart less than what it is about: most tools list or create something. */
const VERB_WEIGHT = 0.35;

/** The most words of a question that count. */
const MAX_WORDS = 24;

/** Takes a question apart. */
export function readQuestion(text: string): Question {
  const words = splitText(text).slice(0, MAX_WORDS);
  const verbs = words.filter((word, index) => meaningsOf(word).length > 0 && !isNoun(index, words));
  const actions = verbs[0] === undefined ? readActions(words) : meaningsOf(verbs[0]);
  const kept = words.filter((word) => !isStopWord(word));
  const nouns = kept.filter((word) => !verbs.includes(word));
  const concepts = kept.map((word): Concept => {
    const stem = stemOf(word);
    return { terms: [stem, ...synonymsOf(stem)], weight: verbs.includes(word) && nouns.length > 0 ? VERB_WEIGHT : 1 };
  });
  return { concepts, actions, isMany: readNumber(verbs[0], nouns) };
}

/** What a question asks for that has none of the usual verbs: "fork this repository", "merge pull request". */
function readActions(words: readonly string[]): readonly Action[] {
  const [first = "", second = ""] = words;
  if (isStopWord(first) || isPlural(first)) return [];
  if (AFTER_VERB.has(second)) return ["create"];
  return isVerb(first) && words.length > 1 ? ["create", "update", "delete"] : [];
}

/** A word that follows another verb is none: "add label", "create export". */
function isNoun(index: number, words: readonly string[]): boolean {
  return index > 0 && meaningsOf(words[0]!).length > 0 && !isStopWord(words[index - 1]!);
}

function readNumber(verb: string | undefined, nouns: readonly string[]): boolean | undefined {
  if (verb === "list" || verb === "count") return true;
  const last = nouns.at(-1);
  if (last === undefined) return undefined;
  if (nouns.some(isPlural)) return verb === undefined || meaningsOf(verb).includes("read") ? true : undefined;
  if (verb === undefined) return undefined;
  return ONE_VERBS.has(verb) || meaningsOf(verb).some((each) => each === "update" || each === "delete")
    ? false
    : undefined;
}
