import type { Context } from "../define/context.ts";
import { EmbeddingIndex, mergeByPlace, type TextEmbedder } from "./embedding.ts";
import { SearchIndex } from "./search-index.ts";
import type { SearchableTool } from "./searchable-tool.ts";

/** The most tools of each way of searching that are compared with the other. */
const CANDIDATES = 50;

/** Searches lists of tools, by words and, with an embedder, by meaning. It keeps the index of a list for as long as the list. */
export class ToolSearcher<T extends SearchableTool> {
  readonly #embedder: TextEmbedder | undefined;
  readonly #words = new WeakMap<readonly T[], Promise<SearchIndex<T>>>();
  readonly #meanings = new WeakMap<readonly T[], Promise<EmbeddingIndex<T>>>();

  constructor(embedder?: TextEmbedder) {
    this.#embedder = embedder;
  }

  /** The best tools first, at most `limit` of them. */
  async search(
    tools: readonly T[],
    query: string,
    limit: number,
    ctx: Pick<Context, "log" | "signal">,
  ): Promise<readonly T[]> {
    const words = await this.#wordsOf(tools);
    if (this.#embedder === undefined) return words.search(query, limit);
    const near = await this.#searchByMeaning(this.#embedder, tools, query, ctx);
    return mergeByPlace(words.search(query, CANDIDATES), near, limit);
  }

  #wordsOf(tools: readonly T[]): Promise<SearchIndex<T>> {
    let index = this.#words.get(tools);
    if (index === undefined) {
      index = SearchIndex.build(tools);
      this.#words.set(tools, index);
    }
    return index;
  }

  async #searchByMeaning(
    embedder: TextEmbedder,
    tools: readonly T[],
    query: string,
    ctx: Pick<Context, "log" | "signal">,
  ): Promise<readonly T[]> {
    try {
      const index = await this.#meaningsOf(embedder, tools);
      return await index.search(query, CANDIDATES, ctx.signal);
    } catch (error) {
      ctx.signal.throwIfAborted();
      // The message may have the address or the key of a service.
      ctx.log(
        "warning",
        `Tools were searched by words alone: the embedder failed (${error instanceof Error ? error.name : "unknown"}).`,
      );
      return [];
    }
  }

  #meaningsOf(embedder: TextEmbedder, tools: readonly T[]): Promise<EmbeddingIndex<T>> {
    const known = this.#meanings.get(tools);
    if (known !== undefined) return known;
    const index = EmbeddingIndex.build(embedder, tools);
    this.#meanings.set(tools, index);
    // The next search tries again.
    index.catch(() => this.#meanings.delete(tools));
    return index;
  }
}
