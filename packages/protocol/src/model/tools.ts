import type { Icon, ListResult, Meta, Result } from "./basic.ts";
import type { ContentBlock } from "./content.ts";
import type { RetryParams } from "./input.ts";

/**
 * The JSON Schema of a tool's arguments, always an object at the root. The dialect is 2020-12 unless `$schema` says
 * otherwise.
 */
export interface ToolInputSchema {
  readonly type: "object";
  readonly [keyword: string]: unknown;
}

/** JSON Schema of a tool's `structuredContent`. Before 2026-07-28 only schemas of objects could be declared. */
export interface ToolOutputSchema {
  readonly [keyword: string]: unknown;
}

/** Hints about what a tool does, from its author. Untrusted: never rely on them for safety. */
export interface ToolAnnotations {
  /** The name to show to people. The tool's own `title` takes precedence. */
  title?: string | undefined;
  /** The tool changes nothing. Default: false. */
  readOnlyHint?: boolean | undefined;
  /** The tool may overwrite or delete. Default: true for tools that change something. */
  destructiveHint?: boolean | undefined;
  /** Calling the tool again with the same arguments has no further effect. Default: false. */
  idempotentHint?: boolean | undefined;
  /** The tool reaches beyond a closed domain, for example to the web. Default: true. */
  openWorldHint?: boolean | undefined;
}

/** A tool as it is listed. */
export interface Tool {
  /** The name, unique in the server: 1 to 128 characters of `A-Z a-z 0-9 _ - .`. */
  name: string;
  /** The name to show to people (since 2025-06-18). */
  title?: string | undefined;
  /** Tells the model when and how to use the tool. */
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

/** The name and arguments of a tool call. */
export interface CallToolParams extends RetryParams {
  name: string;
  arguments?: { readonly [argument: string]: unknown } | undefined;
}

/** The result of a tool call. */
export interface CallToolResult extends Result {
  /** Content for the model. */
  content: readonly ContentBlock[];
  /** Data for programs: any JSON value that matches `outputSchema`. In 2025-06-18 and 2025-11-25, an object. */
  structuredContent?: unknown;
  /** Whether the tool failed. If so, the content tells the model why. */
  isError?: boolean | undefined;
}
