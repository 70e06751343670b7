import type { Icon } from "./implementation.ts";
import type { Meta } from "./meta.ts";
import type { ListResult } from "./pagination.ts";

/** JSON Schema of a tool's arguments; always an object at the root. 2020-12 unless `$schema` says otherwise. */
export interface ToolInputSchema {
  readonly type: "object";
  readonly [keyword: string]: unknown;
}

/** JSON Schema of a tool's `structuredContent`. Before 2026-07-28 only schemas of objects could be declared. */
export interface ToolOutputSchema {
  readonly [keyword: string]: unknown;
}

/** What a tool does to the world, in its author's words. Never a reason to trust it. */
export interface ToolAnnotations {
  /** What people call it; `title` on the tool itself comes first. */
  title?: string | undefined;
  /** It changes nothing. Assumed false. */
  readOnlyHint?: boolean | undefined;
  /** It may overwrite or delete. Assumed true for tools that change something. */
  destructiveHint?: boolean | undefined;
  /** Calling it again with the same arguments has no further effect. Assumed false. */
  idempotentHint?: boolean | undefined;
  /** It reaches beyond a closed domain, such as to the web. Assumed true. */
  openWorldHint?: boolean | undefined;
}

/** A tool as it is listed. */
export interface Tool {
  /** One to 128 of `A-Z a-z 0-9 _ - .`, unique in the server. */
  name: string;
  /** What people call it (since 2025-06-18). */
  title?: string | undefined;
  /** Tells the model when and how to use it. */
  description?: string | undefined;
  inputSchema: ToolInputSchema;
  /** Since 2025-06-18. */
  outputSchema?: ToolOutputSchema | undefined;
  /** Since 2025-03-26. */
  annotations?: ToolAnnotations | undefined;
  /** Since 2025-11-25. */
  icons?: readonly Icon[] | undefined;
  /** Since 2025-06-18. */
  _meta?: Meta | undefined;
}

/** A page of tools. */
export interface ListToolsResult extends ListResult {
  tools: readonly Tool[];
}
