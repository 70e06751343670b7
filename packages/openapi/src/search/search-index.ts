import type { ToolAnnotations } from "@toolwire/server";
import MiniSearch, { type SearchResult } from "minisearch";
import type { SearchHints } from "../tool/search-hints.ts";
import { isPlural } from "../words/words.ts";
import { type Action, actionsOf, meaningsOf, verbOfPath } from "./actions.ts";
import { type Question, readQuestion } from "./question.ts";
import { isStopWord, splitText, stemOf } from "./terms.ts";

/** The parts of a tool that are searched. */
export interface SearchableTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly hints?: SearchHints | undefined;
}

/** How much a word counts by where it is. */
const BOOSTS = { name: 4, title: 3, path: 3, tags: 1, description: 1 };

/** The most characters of a question that count. */
const MAX_QUERY = 500;

/** The most characters of a text that count. */
const MAX_TEXT = 1_000;

/** Tools that are added to an index in one piece of work, so that a server can do something else before the next. */
const CHUNK = 25;

/** What is known of a tool besides its words. */
interface Entry<T> {
  readonly tool: T;
  readonly actions: readonly Action[];
  /** What the tool is about: the last name in its path. */
  readonly subject: ReadonlySet<string>;
  /** What that belongs to: the names before it. */
  readonly context: ReadonlySet<string>;
  /** What its title says that it is about. */
  readonly title: ReadonlySet<string>;
  readonly depth: number;
  /** Whether it is about many things. `undefined` if there is no path that tells. */
  readonly isMany: boolean | undefined;
}

/** The texts of a tool by field. */
type Fields = { readonly id: number } & { readonly [field in keyof typeof BOOSTS]: string };

/** Ranks tools by questions of people. */
export class SearchIndex<T extends SearchableTool> {
  readonly #entries: readonly Entry<T>[];
  readonly #words: MiniSearch<Fields>;

  private constructor(entries: readonly Entry<T>[], words: MiniSearch<Fields>) {
    this.#entries = entries;
    this.#words = words;
  }

  /** Builds an index: about 60 milliseconds of work for 1,000 tools, in pieces. */
  static async build<T extends SearchableTool>(tools: readonly T[]): Promise<SearchIndex<T>> {
    const words = new MiniSearch<Fields>({
      fields: Object.keys(BOOSTS),
      tokenize: (text) => [...splitText(text)],
      processTerm: (word) => (isStopWord(word) ? null : stemOf(word)),
      searchOptions: { boost: BOOSTS },
    });
    const entries: Entry<T>[] = [];
    for (const [id, tool] of tools.entries()) {
      if (id % CHUNK === CHUNK - 1) await new Promise((resolve) => setTimeout(resolve, 0));
      entries.push(describe(tool));
      words.add(fieldsOf(tool, id));
    }
    return new SearchIndex(entries, words);
  }

  /** The best tools first, at most `limit` of them. Tools that have none of the words are left out. */
  search(query: string, limit: number): readonly T[] {
    const question = readQuestion(query.slice(0, MAX_QUERY));
    const found = this.#words.search(question.concepts.flatMap(({ terms }) => terms).join(" "), {
      // The words of the question are stems already.
      tokenize: (text) => text.split(" "),
      processTerm: (word) => word,
      prefix: (word) => word.length >= 3,
      fuzzy: (word) => (word.length >= 5 ? 0.2 : false),
      weights: { prefix: 0.4, fuzzy: 0.25 },
      boostTerm: (term) => boostOf(term, question),
    });
    return found
      .map((result) => ({ id: result.id as number, score: this.#score(result, question) }))
      .toSorted((one, other) => other.score - one.score || one.id - other.id)
      .slice(0, limit)
      .map(({ id }) => this.#entries[id]!.tool);
  }

  #score(result: SearchResult, question: Question): number {
    const entry = this.#entries[result.id as number]!;
    const matched = new Set(result.terms);
    const asked = new Set(result.queryTerms);
    return (
      // The sum of what the words count. MiniSearch multiplies it by their number, which synonyms would inflate.
      (result.score / Math.max(1, asked.size)) *
      shareOf(question, asked) ** 1.5 *
      fitOf(entry, matched) *
      doingOf(entry, question) *
      (question.isMany === undefined || entry.isMany === undefined || question.isMany === entry.isMany ? 1 : 0.75) *
      0.96 ** entry.depth *
      (entry.tool.hints?.isDeprecated === true ? 0.5 : 1)
    );
  }
}

function fieldsOf({ name, title = "", description = "", hints = {} }: SearchableTool, id: number): Fields {
  return {
    id,
    name,
    title: title.slice(0, MAX_TEXT),
    path: (hints.path ?? "").replaceAll(/\{[^{}]*\}/g, " ").slice(0, MAX_TEXT),
    tags: (hints.tags ?? []).join(" ").slice(0, MAX_TEXT),
    description: description.slice(0, MAX_TEXT),
  };
}

function describe<T extends SearchableTool>(tool: T): Entry<T> {
  const { name, hints = {}, annotations } = tool;
  const actions = actionsOf(name, hints, annotations?.readOnlyHint === true);
  const segments = (hints.path ?? "").split("/").filter((segment) => segment !== "");
  const names = segments.filter((segment) => !segment.startsWith("{")).map(splitText);
  // `/orders/search` and `/orders/{id}/cancel` are about orders.
  if (names.length > 1 && verbOfPath(hints) !== undefined) names.pop();
  const last = names.at(-1);
  const title = stems(splitText(tool.title ?? "").filter((word) => meaningsOf(word).length === 0));
  if (last === undefined) {
    const words = splitText(name).filter((word) => meaningsOf(word).length === 0);
    return { tool, actions, title, subject: stems(words), context: new Set(), depth: 0, isMany: undefined };
  }
  return {
    tool,
    actions,
    title,
    subject: stems(last),
    context: stems(names.slice(0, -1).flat()),
    depth: segments.length,
    // `/project` may be one or all of them.
    isMany: segments.at(-1)!.startsWith("{") ? false : isPlural(last.at(-1) ?? "") ? true : undefined,
  };
}

function stems(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.filter((word) => !isStopWord(word)).map(stemOf));
}

/** How much a word of a question counts. Other words for it count for less. */
function boostOf(term: string, { concepts }: Question): number {
  const concept = concepts.find(({ terms }) => terms.includes(term));
  if (concept === undefined) return 1;
  return concept.weight * (concept.terms[0] === term ? 1 : 0.8);
}

/** The share of a question that a tool has words for. */
function shareOf({ concepts }: Question, asked: ReadonlySet<string>): number {
  let all = 0;
  let found = 0;
  for (const { terms, weight } of concepts) {
    all += weight;
    if (terms.some((term) => asked.has(term))) found += weight;
  }
  return all === 0 ? 1 : found / all;
}

/** How well what a tool does is what the question asks for. What is only read is meant if the question does not say. */
function doingOf({ actions }: Entry<unknown>, { actions: asked }: Question): number {
  if (asked.length === 0 || actions.length === 0) return actions[0] === "read" ? 1.1 : 1;
  if (asked.includes(actions[0]!)) return 1.6;
  return actions.some((action) => asked.includes(action)) ? 1.2 : 0.6;
}

/** How much of what a tool is about the question names: a bank account of a customer is no customer. */
function fitOf({ subject, context, title }: Entry<unknown>, matched: ReadonlySet<string>): number {
  const share = (words: ReadonlySet<string>): number =>
    words.size === 0 ? 1 : [...words].filter((word) => matched.has(word)).length / words.size;
  return (0.25 + 0.75 * share(subject)) * (0.8 + 0.2 * share(context)) * (0.5 + 0.5 * share(title));
}
