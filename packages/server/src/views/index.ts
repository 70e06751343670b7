/**
 * Views of tools: HTML documents that hosts show with the results (the extension `io.modelcontextprotocol/ui`).
 *
 * @packageDocumentation
 */
export { onlyForHosts, showsViews } from "./only-for-hosts.ts";
export { view, type ViewDefinition, type ViewOptions } from "./view.ts";
export { views } from "./views.ts";
export type { ToolAudience, ViewCsp } from "@toolwire/protocol/views";
