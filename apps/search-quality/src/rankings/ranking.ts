import type { KeyedTool } from "../sources/source.ts";

/** A way to find tools. */
export interface Ranking {
  readonly title: string;
  /** Makes an index of the tools of one source. */
  build(tools: readonly KeyedTool[]): Promise<Search>;
}

/** Finds the best tools for a question, the best first, at most so many. */
type Search = (query: string, limit: number) => Promise<readonly KeyedTool[]>;

/** The texts that libraries search: the same that ours has. */
export function textsOf(tool: KeyedTool) {
  const { name, title = "", description = "", hints } = tool;
  return { name, title, description, path: hints?.path ?? "", tags: (hints?.tags ?? []).join(" ") };
}
