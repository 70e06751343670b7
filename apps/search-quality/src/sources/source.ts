import type { FoundTool } from "@toolwire/server/search";

/** Tools of an API or of a server, by the keys that the questions name. */
export interface Source {
  /** Such as `github` or `github-server`: the name of the file of its questions. */
  readonly title: string;
  readonly tools: readonly KeyedTool[];
}

/** A tool, and how the questions call it: method and path of an operation, or the name of a tool. */
export interface KeyedTool extends FoundTool {
  readonly key: string;
}
