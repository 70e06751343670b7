/** Questions of people, such as "cancel a subscription", taken apart. */
import { type Action, isGenericVerb, isNounToo, meaningsOf, meaningsOfForm } from "./actions.ts";
import { type Meaning, phraseAt } from "./phrases.ts";
import { isStopWord, splitText, stemOf } from "./terms.ts";
import { synonymsOf } from "./thesaurus.ts";
import { isVerb } from "./verbs.ts";
import { isPlural } from "./words.ts";

/** Something that a question names, with other words for it. */
interface Concept {
  /** The word itself, in common form. Empty if only other words can be meant. */
  readonly word: string;
  /** Other words for it. */
  readonly others: readonly string[];
  /** How much it counts that a tool has it. */
  readonly weight: number;
  readonly role: Role;
}

/**
 * What something is to a question. In "add a label to an issue", `add` is a verb, the label is the thing, and the issue is where it
 * belongs. `wish`: it is good to have, and no fault to lack.
 */
export type Role = "verb" | "thing" | "place" | "wish";

/** A question, taken apart. */
export interface Question {
  readonly concepts: readonly Concept[];
  /** What is to be done. Empty if the question does not say. */
  readonly actions: readonly Action[];
  /** Whether many things are meant, or one. `undefined` if the question does not say. */
  readonly isMany: boolean | undefined;
  /** Whether it is about something of the person who asks. */
  readonly isOwn: boolean;
}

/** Words after a verb that could be a noun: "fork this repository", "comment on an issue". */
const AFTER_VERB: ReadonlySet<string> = new Set(
  "a an the this that my it on these all several some somebody someone".split(" "),
);

/** Words after which a question says where a thing belongs. */
const BEFORE_PLACE: ReadonlySet<string> = new Set(
  "against at by for from in inside into of on onto out per to under with within".split(" "),
);

/** Words of a question that say which one is meant rather than what. */
const VAGUE: ReadonlySet<string> = new Set(
  (
    "another certain current detail everything every existing given info information many multiple named new only other several single " +
    "specific whole"
  ).split(" "),
);

/** Verbs that read one thing, if it is a singular. */
const ONE_VERBS: ReadonlySet<string> = new Set(["describe", "get", "read", "show", "view"]);

const OWN: ReadonlySet<string> = new Set(["i", "me", "mine", "my", "myself"]);

/** Words before the names that people gave to things. No tool has those: "documents about budget". */
const BEFORE_VALUE: ReadonlySet<string> = new Set("about called containing mentioning named saying titled".split(" "));

/** Verbs that put something into something else or take it out. Both have to be what the tool is about. */
const JOINING: ReadonlySet<string> = new Set("add assign attach detach insert invite kick move put remove".split(" "));

/** How much words count. Verbs such as `add` tell tools apart less than others, because the methods of tools say the same. */
const WEIGHTS = { thing: 1, place: 0.6, joined: 0.9, verb: 0.9, genericVerb: 0.35, vague: 0.2, wish: 0.5 };

/** The most words of a question that count. */
const MAX_WORDS = 24;

/** Takes a question apart. */
export function readQuestion(text: string): Question {
  const words = splitText(text).slice(0, MAX_WORDS);
  return new Reader(words).read();
}

/** Reads the words of one question, from the first to the last. */
class Reader {
  readonly #words: readonly string[];
  readonly #concepts: Concept[] = [];
  readonly #things: string[] = [];
  #actions: readonly Action[] = [];
  #verb: string | undefined;
  /** What the next word is, if it is no verb. */
  #role: "thing" | "place" | "value" = "thing";
  /** Whether something was named to which a place could belong. */
  #hasThing = false;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  read(): Question {
    let index = 0;
    while (index < this.#words.length) index += this.#readAt(index);
    return {
      concepts: this.#hasThing ? this.#concepts : this.#concepts.map(asThing),
      actions: this.#actions,
      isMany: readNumber(this.#verb, this.#things),
      isOwn: this.#words.some((word) => OWN.has(word)),
    };
  }

  /** Reads a word or a phrase, and returns how many words that were. */
  #readAt(index: number): number {
    const word = this.#words[index]!;
    const phrase = phraseAt(this.#words, index);
    if (phrase !== undefined) {
      // A tool may be called `whoami`.
      this.#addPhrase(phrase.length === 1 && !isStopWord(word) ? stemOf(word) : "", phrase.meaning);
      this.#verb ??= word;
      return phrase.length;
    }
    if (this.#isNextTask(index)) return this.#words.length;
    if (BEFORE_VALUE.has(word)) this.#role = "value";
    else if (BEFORE_PLACE.has(word) && this.#hasThing) this.#role = "place";
    if (!isStopWord(word)) this.#addWord(word, index);
    return 1;
  }

  #addPhrase(word: string, { terms, actions, isOptional, isPerson }: Meaning): void {
    const weight = isOptional ? WEIGHTS.wish : WEIGHTS.thing;
    this.#concepts.push({ word, others: terms, weight, role: isOptional && !isPerson ? "wish" : "thing" });
    if (this.#actions.length === 0) this.#actions = actions;
    this.#hasThing ||= !isOptional || actions.length === 0;
  }

  #addWord(word: string, index: number): void {
    const stem = stemOf(word);
    if (VAGUE.has(stem) || VAGUE.has(word)) {
      // "new page" makes one, and "new pages" are the latest.
      const next = this.#words[index + 1];
      if (word === "new" && index === 0 && next !== undefined && !isPlural(next)) this.#actions = ["create"];
      this.#concepts.push({ word: stem, others: synonymsOf(stem), weight: WEIGHTS.vague, role: "wish" });
      return;
    }
    if (this.#verb === undefined && this.#isVerbAt(index)) {
      this.#addVerb(word, stem);
    } else if (this.#role === "value") {
      this.#concepts.push({ word: stem, others: [], weight: WEIGHTS.vague, role: "wish" });
    } else {
      this.#addNoun(word, stem, index);
    }
  }

  #addVerb(word: string, stem: string): void {
    this.#verb = word;
    const meanings = meaningsOfForm(word);
    // A verb that says nothing of methods makes or changes something.
    if (this.#actions.length === 0) this.#actions = meanings.length > 0 ? meanings : ["create", "update"];
    if (meanings.length === 0 || isNounToo(word)) {
      this.#concepts.push({ word: stem, others: synonymsOf(stem), weight: WEIGHTS.thing, role: "thing" });
      this.#hasThing = true;
      this.#role = "place";
      return;
    }
    const weight = isGenericVerb(word) ? WEIGHTS.genericVerb : WEIGHTS.verb;
    this.#concepts.push({ word: stem, others: synonymsOf(stem), weight, role: "verb" });
  }

  #addNoun(word: string, stem: string, index: number): void {
    const role = this.#role === "place" ? "place" : "thing";
    // "billing" is no bill.
    const others = [...(word.endsWith("ing") ? [] : synonymsOf(stem)), ...joinedWords(this.#words, index)];
    const weight = role === "thing" ? WEIGHTS.thing : JOINING.has(this.#verb ?? "") ? WEIGHTS.joined : WEIGHTS.place;
    this.#concepts.push({ word: stem, others, weight, role });
    this.#hasThing = true;
    if (role === "thing") this.#things.push(word);
  }

  /** Whether a word is the verb: the first one that can be, unless it is a noun, as in "account balance". */
  #isVerbAt(index: number): boolean {
    const word = this.#words[index]!;
    const next = this.#words[index + 1];
    const isKnown = meaningsOfForm(word).length > 0 || isVerb(word);
    if (isKnown) return !this.#hasThing && next !== "of";
    return index === 0 && next !== undefined && AFTER_VERB.has(next) && !isPlural(word);
  }

  /** Whether a question goes on with what is to be done next: "zip files and download them". */
  #isNextTask(index: number): boolean {
    const [word, next] = [this.#words[index], this.#words[index + 1]];
    return (
      (word === "and" || word === "then") &&
      this.#verb !== undefined &&
      next !== undefined &&
      meaningsOfForm(next).length > 0 &&
      this.#hasThing
    );
  }
}

/** If a question has nothing but a verb, such as "skip", the verb is what it is about. */
function asThing(concept: Concept): Concept {
  return concept.role === "verb" ? { ...concept, weight: 1 } : concept;
}

/** Names write in one word what people write in two: `cronjobs`. */
function joinedWords(words: readonly string[], index: number): readonly string[] {
  const [before, word, after] = [words[index - 1], words[index]!, words[index + 1]];
  return [before === undefined ? undefined : before + word, after === undefined ? undefined : word + after].flatMap(
    (each) => (each === undefined ? [] : [stemOf(each)]),
  );
}

function readNumber(verb: string | undefined, nouns: readonly string[]): boolean | undefined {
  if (verb === "list" || verb === "count") return true;
  const thing = nouns.at(-1);
  if (thing === undefined) return undefined;
  if (isPlural(thing)) {
    return verb === undefined || meaningsOf(verb).includes("read") || !isVerb(verb) ? true : undefined;
  }
  if (verb === undefined) return undefined;
  return ONE_VERBS.has(verb) || meaningsOf(verb).some((each) => each === "update" || each === "delete")
    ? false
    : undefined;
}
