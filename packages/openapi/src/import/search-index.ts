/** A small search over tools: which of them are most likely meant by a few words. */

/** The texts of a tool that are searched. */
export interface SearchableText {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** How much a word counts by where it is. */
const WEIGHTS = { name: 5, title: 3, description: 1 };

/** The most characters of a query that count. */
const MAX_QUERY = 500;

/** The most characters of a description that count. */
const MAX_TEXT = 2_000;

/**
 * Ranks tools by words. Rare words count for more, repeated ones for less each time, and words in names for most. A word also finds
 * longer ones that begin with it. Building takes time proportional to the texts; a search, to the number of different words and of
 * tools that have one of the wanted.
 */
export class SearchIndex<T extends SearchableText> {
  readonly #items: readonly T[];
  readonly #weights = new Map<string, Map<number, number>>();

  constructor(items: readonly T[]) {
    this.#items = items;
    for (const [index, item] of items.entries()) {
      for (const field of ["name", "title", "description"] as const) {
        for (const word of splitWords((item[field] ?? "").slice(0, MAX_TEXT))) this.#add(word, index, WEIGHTS[field]);
      }
    }
  }

  #add(word: string, index: number, weight: number): void {
    let found = this.#weights.get(word);
    if (found === undefined) {
      found = new Map();
      this.#weights.set(word, found);
    }
    found.set(index, (found.get(index) ?? 0) + weight);
  }

  /** The best items first, at most `limit` of them. Items that have none of the words are left out. */
  search(query: string, limit: number): readonly T[] {
    const scores = new Map<number, number>();
    for (const word of new Set(splitWords(query.slice(0, MAX_QUERY)))) {
      for (const [index, weight] of this.#find(word)) scores.set(index, (scores.get(index) ?? 0) + weight);
    }
    return [...scores]
      .toSorted(([one, oneScore], [other, otherScore]) => otherScore - oneScore || one - other)
      .slice(0, limit)
      .map(([index]) => this.#items[index]!);
  }

  /** The score of each item for one word. */
  #find(word: string): ReadonlyMap<number, number> {
    const weights = new Map<number, number>();
    for (const [known, found] of this.#weights) {
      const closeness = known === word ? 1 : word.length >= 3 && known.startsWith(word) ? 0.5 : 0;
      if (closeness === 0) continue;
      for (const [index, weight] of found) {
        weights.set(index, Math.max(weights.get(index) ?? 0, closeness * weight));
      }
    }
    const rarity = Math.log(1 + this.#items.length / Math.max(1, weights.size));
    return new Map([...weights].map(([index, weight]) => [index, rarity * (weight / (weight + 2))]));
  }
}

/** The words of a text: `listUserRepos` and `list_user_repos` have the same three. A plural is the same word. */
function splitWords(text: string): readonly string[] {
  const spaced = text.replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2").toLowerCase();
  return (spaced.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word,
  );
}
