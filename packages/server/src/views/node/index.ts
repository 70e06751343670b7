/**
 * Views in files, for Node: `viewFile()`, and `watchViews()` for development.
 *
 * @packageDocumentation
 */
export { viewFile, type ViewFileOptions } from "./view-file.ts";
export { watchViews, type WatchedViews } from "./watch-views.ts";
