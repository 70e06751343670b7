/**
 * The words of the extension `io.modelcontextprotocol/ui` that servers, clients and browsers share: names, `_meta`, and the origins that
 * a content policy may name.
 *
 * @packageDocumentation
 */
export {
  CSP_MEMBERS,
  isViewUri,
  PERMISSIONS,
  readToolViewMeta,
  readViewMeta,
  type ReadViewMeta,
  type ToolAudience,
  type ToolViewMeta,
  type ViewCsp,
  type ViewMeta,
  type ViewPermissions,
} from "./meta.ts";
export {
  FLAT_VIEW_META,
  TOOL_PREFIX_META,
  VIEW_META,
  VIEW_MIME_TYPE,
  VIEW_SCHEME,
  VIEWS_EXTENSION,
  VIEWS_REVISION,
} from "./names.ts";
export { isContentSource } from "./source.ts";
