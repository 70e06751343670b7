import { SearchIndex } from "@toolwire/server/search/internal";
import type { Ranking } from "./ranking.ts";

/** What search mode uses. */
export const OURS: Ranking = {
  title: "Toolwire",
  async build(tools) {
    const index = await SearchIndex.build(tools);
    return (query, limit) => Promise.resolve(index.search(query, limit));
  },
};
