import { create, insertMultiple, search } from "@orama/orama";
import { type Ranking, textsOf } from "./ranking.ts";

/** Orama as it comes. */
export const ORAMA: Ranking = makeRanking("Orama, defaults", false, {});

/** Orama with names in words, which it would take for one, with stems, typing errors and more for names. */
export const TUNED_ORAMA: Ranking = makeRanking("Orama, names in words, stems, typing errors, weights", true, {
  tolerance: 1,
  boost: { name: 4, title: 3, path: 3 },
});

function makeRanking(title: string, isTuned: boolean, options: object): Ranking {
  return {
    title,
    async build(tools) {
      const database = create({
        schema: { name: "string", title: "string", description: "string", path: "string", tags: "string" },
        components: { tokenizer: { language: "english", stemming: isTuned } },
      });
      // The ids are ours, so that what is found can be told.
      await insertMultiple(
        database,
        tools.map((tool, index) => ({ id: `${index}`, ...(isTuned ? inWords(textsOf(tool)) : textsOf(tool)) })),
      );
      return async (query, limit) => {
        const { hits } = await search(database, { term: query, limit, ...options });
        return hits.map(({ id }) => tools[Number(id)]!);
      };
    },
  };
}

/** Its tokenizer keeps `create_customer` in one. */
function inWords({ name, path, ...texts }: ReturnType<typeof textsOf>): ReturnType<typeof textsOf> {
  const split = (text: string): string => text.replaceAll(/([a-z])([A-Z])/g, "$1 $2").replaceAll(/[^A-Za-z0-9]+/g, " ");
  return { ...texts, name: split(name), path: split(path) };
}
