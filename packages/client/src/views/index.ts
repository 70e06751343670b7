/**
 * The client's side of views: which tools are for the model, and reading views (the extension `io.modelcontextprotocol/ui`).
 *
 * @packageDocumentation
 */
export type { View } from "./read-view.ts";
export { isForModel, isForViews, viewOf, views, type ServerViews, type ViewsOptions } from "./views.ts";
export type { ViewCsp, ViewMeta, ViewPermissions } from "@toolwire/protocol/views";
