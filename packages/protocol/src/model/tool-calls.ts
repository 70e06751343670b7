import type { ContentBlock } from "./content.ts";
import type { RetryParams } from "./input-required.ts";
import type { Result } from "./result.ts";

/** Which tool to call, with what. */
export interface CallToolParams extends RetryParams {
  name: string;
  arguments?: { readonly [argument: string]: unknown } | undefined;
}

/** What a tool answers. */
export interface CallToolResult extends Result {
  /** For the model to read. */
  content: readonly ContentBlock[];
  /** For programs to read: any JSON value that fits `outputSchema`; an object in 2025-06-18 and 2025-11-25. */
  structuredContent?: unknown;
  /** The tool ran and failed; the content tells the model why. */
  isError?: boolean | undefined;
}
