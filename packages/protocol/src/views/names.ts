/** The extension of the protocol by which tools show views (MCP Apps). */
export const VIEWS_EXTENSION = "io.modelcontextprotocol/ui";

/** The revision of that extension that this package follows. */
export const VIEWS_REVISION = "2026-01-26";

/** The type of a view: an HTML document. The extension reserves all others. */
export const VIEW_MIME_TYPE = "text/html;profile=mcp-app";

/** What the URIs of all views begin with. */
export const VIEW_SCHEME = "ui://";

/** The member of `_meta` that tools and contents of views have. */
export const VIEW_META = "ui";

/**
 * Ours: the member of a tool's `_meta` that says what the names of its server's tools begin with, where another server offers them under
 * names of its own. Views call tools by the names that their own server has for them.
 */
export const TOOL_PREFIX_META = "toolwire/toolPrefix";

/** The member of a tool's `_meta` that named its view before {@link VIEW_META}; the extension deprecates it. */
export const FLAT_VIEW_META = "ui/resourceUri";
