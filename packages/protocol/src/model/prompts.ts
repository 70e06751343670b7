import type { Icon, ListResult, Meta, Result } from "./basic.ts";
import type { ContentBlock, Role } from "./content.ts";
import type { RetryParams } from "./input.ts";

/** An argument of a prompt. */
export interface PromptArgument {
  name: string;
  /** The name to show to people (since 2025-06-18). */
  title?: string | undefined;
  description?: string | undefined;
  required?: boolean | undefined;
}

/** A prompt as it is listed. */
export interface Prompt {
  name: string;
  /** The name to show to people (since 2025-06-18). */
  title?: string | undefined;
  description?: string | undefined;
  arguments?: readonly PromptArgument[] | undefined;
  /** Since 2025-11-25. */
  icons?: readonly Icon[] | undefined;
  /** Since 2025-06-18. */
  _meta?: Meta | undefined;
}

/** A page of prompts. */
export interface ListPromptsResult extends ListResult {
  prompts: readonly Prompt[];
}

/** The name and arguments of a prompt. */
export interface GetPromptParams extends RetryParams {
  name: string;
  arguments?: { readonly [argument: string]: string } | undefined;
}

/** One message of a prompt. */
export interface PromptMessage {
  role: Role;
  content: ContentBlock;
}

/** A prompt with its arguments filled in. */
export interface GetPromptResult extends Result {
  description?: string | undefined;
  messages: readonly PromptMessage[];
}
