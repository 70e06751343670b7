import type { ContentBlock } from "./content.ts";
import type { RetryParams } from "./input-required.ts";
import type { Result } from "./result.ts";

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
