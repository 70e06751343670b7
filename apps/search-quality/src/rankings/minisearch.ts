import MiniSearch from "minisearch";
import { type Ranking, textsOf } from "./ranking.ts";

/** MiniSearch as it comes. */
export const MINISEARCH: Ranking = {
  title: "MiniSearch, defaults",
  build: (tools) => Promise.resolve(makeIndex(tools, {})),
};

/** MiniSearch with the options that its documentation names first: words that begin alike, typing errors, more for names. */
export const TUNED_MINISEARCH: Ranking = {
  title: "MiniSearch, prefixes, typing errors, weights",
  build: (tools) =>
    Promise.resolve(makeIndex(tools, { prefix: true, fuzzy: 0.2, boost: { name: 4, title: 3, path: 3 } })),
};

type Options = NonNullable<ConstructorParameters<typeof MiniSearch>[0]["searchOptions"]>;

function makeIndex(
  tools: Parameters<Ranking["build"]>[0],
  searchOptions: Options,
): Awaited<ReturnType<Ranking["build"]>> {
  const index = new MiniSearch({ fields: ["name", "title", "description", "path", "tags"], searchOptions });
  index.addAll(tools.map((tool, id) => ({ id, ...textsOf(tool) })));
  return (query, limit) =>
    Promise.resolve(
      index
        .search(query)
        .slice(0, limit)
        .map(({ id }) => tools[id as number]!),
    );
}
