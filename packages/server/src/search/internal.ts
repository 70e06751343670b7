/**
 * What other packages of Toolwire need of the search. It may change in any version.
 *
 * @packageDocumentation
 */
export { SearchIndex } from "./search-index.ts";
export type { SearchableTool } from "./searchable-tool.ts";
export { isLastVerb, isVerb } from "./verbs.ts";
export { isPlural, singularOf, splitName } from "./words.ts";
