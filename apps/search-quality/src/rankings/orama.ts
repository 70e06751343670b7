import { create, insertMultiple, search } from "@orama/orama";
import { type Ranking, textsOf } from "./ranking.ts";

/** Orama as it comes, and with its stemmer of English. */
export const ORAMA: Ranking = makeRanking("Orama, defaults", false, {});

/** Orama with stems, typing errors and more for names. */
export const TUNED_ORAMA: Ranking = makeRanking("Orama, stems, typing errors, weights", true, {
  tolerance: 1,
  boost: { name: 4, title: 3, path: 3 },
});

function makeRanking(title: string, stemming: boolean, options: object): Ranking {
  return {
    title,
    async build(tools) {
      const database = create({
        schema: { name: "string", title: "string", description: "string", path: "string", tags: "string" },
        components: { tokenizer: { language: "english", stemming } },
      });
      // The ids are ours, so that what is found can be told.
      await insertMultiple(
        database,
        tools.map((tool, index) => ({ id: `${index}`, ...textsOf(tool) })),
      );
      return async (query, limit) => {
        const { hits } = await search(database, { term: query, limit, ...options });
        return hits.map(({ id }) => tools[Number(id)]!);
      };
    },
  };
}
