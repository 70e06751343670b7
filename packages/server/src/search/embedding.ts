/** A second opinion on what answers a question: by meaning rather than by words. */
import type { Awaitable } from "../define/tool.ts";
import type { SearchableTool } from "./searchable-tool.ts";

/**
 * Turns texts into vectors, all of one length, that are near each other if the texts mean similar things. A model in the process, or a
 * service. Search mode needs none; with one, it also finds what has no word in common with the question.
 */
export interface TextEmbedder {
  /**
   * Some models want to know whether texts are searched or search.
   *
   * @param signal aborts when nobody waits for the answer any more; without one, many callers wait
   */
  embed(
    texts: readonly string[],
    kind: "tool" | "question",
    signal?: AbortSignal,
  ): Awaitable<readonly ArrayLike<number>[]>;
}

/** Texts that are embedded in one call. */
const BATCH = 100;

/** The most characters of a text that are embedded: a tool is told by its first sentences. */
const MAX_TEXT = 500;

/** Places count by one divided by themselves and this number, so that the first of one list does not outweigh both. */
const PLACE_OFFSET = 10;

/** The vectors of the tools of a list. */
export class EmbeddingIndex<T extends SearchableTool> {
  readonly #embedder: TextEmbedder;
  readonly #tools: readonly T[];
  readonly #vectors: readonly (readonly number[])[];

  private constructor(embedder: TextEmbedder, tools: readonly T[], vectors: readonly (readonly number[])[]) {
    this.#embedder = embedder;
    this.#tools = tools;
    this.#vectors = vectors;
  }

  static async build<T extends SearchableTool>(
    embedder: TextEmbedder,
    tools: readonly T[],
  ): Promise<EmbeddingIndex<T>> {
    const vectors: (readonly number[])[] = [];
    for (let from = 0; from < tools.length; from += BATCH) {
      const texts = tools.slice(from, from + BATCH).map(describe);
      vectors.push(...(await embed(embedder, texts, "tool")));
    }
    return new EmbeddingIndex(embedder, tools, vectors);
  }

  /** The tools whose texts are nearest to the question, the nearest first. */
  async search(query: string, limit: number, signal?: AbortSignal): Promise<readonly T[]> {
    const [question] = await embed(this.#embedder, [query], "question", signal);
    return this.#vectors
      .map((vector, id) => ({ id, nearness: nearness(vector, question!) }))
      .toSorted((one, other) => other.nearness - one.nearness || one.id - other.id)
      .slice(0, limit)
      .map(({ id }) => this.#tools[id]!);
  }
}

/** Merges two lists, the best first, by the places that their members have in both. */
export function mergeByPlace<T>(one: readonly T[], other: readonly T[], limit: number): readonly T[] {
  const scores = new Map<T, number>();
  for (const list of [one, other]) {
    for (const [place, each] of list.entries()) scores.set(each, (scores.get(each) ?? 0) + 1 / (PLACE_OFFSET + place));
  }
  return [...scores]
    .toSorted(([, first], [, second]) => second - first)
    .slice(0, limit)
    .map(([each]) => each);
}

function describe({ name, title, description = "" }: SearchableTool): string {
  return `${name.replaceAll(/[_.-]+/g, " ")}. ${title === undefined ? "" : `${title}. `}${description}`.slice(
    0,
    MAX_TEXT,
  );
}

/** Embeds texts, as vectors of the length one. */
async function embed(
  embedder: TextEmbedder,
  texts: readonly string[],
  kind: "tool" | "question",
  signal?: AbortSignal,
): Promise<readonly (readonly number[])[]> {
  const vectors = await embedder.embed(texts, kind, signal);
  if (vectors.length !== texts.length) {
    throw new Error(
      `The embedder returned ${vectors.length} vectors for ${texts.length} texts. It has to return one for each.`,
    );
  }
  return vectors.map((vector) => {
    const values = Array.from(vector);
    const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
    return length === 0 ? values : values.map((value) => value / length);
  });
}

function nearness(one: readonly number[], other: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += one[index]! * (other[index] ?? 0);
  return sum;
}
