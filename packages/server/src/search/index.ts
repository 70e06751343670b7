/**
 * Search mode: three tools in the place of any number of them. Models find what they need by words, at a fraction of the tokens.
 *
 * @packageDocumentation
 */
export type { TextEmbedder } from "./embedding.ts";
export { findBy, type SearchHints } from "./search-hints.ts";
export { SEARCH_TOOL_NAMES, searchTools, type SearchTools, type SearchToolsOptions } from "./search-tools.ts";
export type { FoundTool, ToolProvider } from "./tool-provider.ts";
