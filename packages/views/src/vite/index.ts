/**
 * Makes each view one HTML file, with Vite.
 *
 * @packageDocumentation
 */
export { buildViews, type BuildViewsOptions, type BuiltViews } from "./build-views.ts";
export { inlineView } from "./inline-view.ts";
