import MiniSearch from "minisearch";
import { readQuestion } from "./question.ts";
import { type Found, scoreOf } from "./score.ts";
import { describeTool, type Entry, type Fields, fieldsOf, type SearchableTool } from "./searchable-tool.ts";
import { isStopWord, splitText, stemOf } from "./terms.ts";

/** How much a word counts by where it is. */
const BOOSTS = { name: 4, title: 3, path: 3, keywords: 3, tags: 1, description: 1, parameters: 0.7 };

/** How much less words count that only begin like a word of the question, that may be it with a typing error, or that mean the same. */
const WEIGHTS = { prefix: 0.4, fuzzy: 0.25, other: 0.5 };

/** The most characters of a question that count. */
const MAX_QUERY = 500;

/** Tools that are added to an index in one piece of work, so that a server can do something else before the next. */
const CHUNK = 25;

/** The share of tools that may have a word in the names of their paths, so that it still tells them apart. */
const COMMON = 0.4;

/** An index of tools, for questions of people. */
export class SearchIndex<T extends SearchableTool> {
  readonly #entries: readonly Entry<T>[];
  readonly #words: MiniSearch<Fields>;
  /** All words of all tools, in common form. */
  readonly #known: ReadonlySet<string>;

  private constructor(entries: readonly Entry<T>[], words: MiniSearch<Fields>, known: ReadonlySet<string>) {
    this.#entries = entries;
    this.#words = words;
    this.#known = known;
  }

  /** Builds an index: about 100 milliseconds of work for 1,000 tools, in pieces. */
  static async build<T extends SearchableTool>(tools: readonly T[]): Promise<SearchIndex<T>> {
    /** The common forms of the words of all tools: the same words come thousands of times. */
    const forms = new Map<string, string | null>();
    const words = new MiniSearch<Fields>({
      fields: Object.keys(BOOSTS),
      tokenize: (text) => [...splitText(text)],
      processTerm(word) {
        let form = forms.get(word);
        if (form === undefined) {
          form = isStopWord(word) ? null : stemOf(word);
          forms.set(word, form);
        }
        return form;
      },
      searchOptions: { boost: BOOSTS },
    });
    const entries: Entry<T>[] = [];
    for (const [id, tool] of tools.entries()) {
      if (id % CHUNK === CHUNK - 1) await new Promise((resolve) => setTimeout(resolve, 0));
      entries.push(describeTool(tool));
      words.add(fieldsOf(tool, id));
    }
    const known = new Set([...forms.values()].filter((form) => form !== null));
    return new SearchIndex(entries.map(withoutCommon(entries)), words, known);
  }

  /** The best tools first, at most `limit` of them. Tools that have none of the words are left out. */
  search(query: string, limit: number): readonly T[] {
    const question = readQuestion(query.slice(0, MAX_QUERY));
    const found = question.concepts.map(({ word, others }) => this.#find(word, others));
    const ids = new Set(found.flatMap((each) => [...each.keys()]));
    return [...ids]
      .map((id) => ({ id, score: scoreOf(this.#entries[id]!, id, question, found, this.#entries.length) }))
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score || one.id - other.id)
      .slice(0, limit)
      .map(({ id }) => this.#entries[id]!.tool);
  }

  /** The tools that have a word or another one for it, each with the strength from 0 to 1 at which it has it. */
  #find(word: string, others: readonly string[]): Found {
    const terms = [word, ...others].filter((term) => term !== "");
    const results = this.#words.search(terms.join(" "), {
      // The words of the question are stems already.
      tokenize: (text) => text.split(" "),
      processTerm: (term) => term,
      // Other words are meant as they are, and a word that tools have has no typing error.
      prefix: (term) => term === word && term.length >= 3,
      fuzzy: (term) => (term === word && term.length >= 5 && !this.#known.has(term) ? 0.2 : false),
      weights: { prefix: WEIGHTS.prefix, fuzzy: WEIGHTS.fuzzy },
      boostTerm: (term) => (term === word || word === "" ? 1 : WEIGHTS.other),
    });
    // MiniSearch multiplies by the number of words that were found, which other words would inflate.
    const scored = results.map(({ id, score, queryTerms, terms: matched }) => ({
      id: id as number,
      score: score / queryTerms.length,
      matched,
    }));
    const best = Math.max(...scored.map(({ score }) => score), Number.MIN_VALUE);
    return new Map(scored.map(({ id, score, matched }) => [id, { strength: Math.sqrt(score / best), matched }]));
  }
}

/** Takes words away that most tools have in their names or paths, such as `repos`: they tell nothing. */
function withoutCommon<T>(entries: readonly Entry<T>[]): (entry: Entry<T>) => Entry<T> {
  const counts = new Map<string, number>();
  for (const { context, subject } of entries) {
    for (const word of new Set([...context, ...subject])) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const most = Math.max(entries.length * COMMON, 5);
  const pick = (words: ReadonlySet<string>): ReadonlySet<string> =>
    new Set([...words].filter((word) => (counts.get(word) ?? 0) <= most));
  return (entry) => ({ ...entry, subject: pick(entry.subject), context: pick(entry.context) });
}
