import type { RequestParams, Result } from "./result.ts";

/** Names a prompt whose argument is being typed. */
export interface PromptReference {
  type: "ref/prompt";
  name: string;
  /** Since 2025-06-18. */
  title?: string | undefined;
}

/** Names a resource template whose variable is being typed. */
export interface ResourceTemplateReference {
  type: "ref/resource";
  /** The URI template, exactly as it was listed. */
  uri: string;
}

/** What is being typed, and where. */
export interface CompleteParams extends RequestParams {
  ref: PromptReference | ResourceTemplateReference;
  argument: {
    name: string;
    /** What has been typed so far. */
    value: string;
  };
  /** The arguments that are settled already (since 2025-06-18). */
  context?: { arguments?: { readonly [argument: string]: string } | undefined } | undefined;
}

/** Suggestions, best first. */
export interface CompleteResult extends Result {
  completion: {
    /** At most 100. */
    values: readonly string[];
    /** How many there are in all, also beyond `values`. */
    total?: number | undefined;
    hasMore?: boolean | undefined;
  };
}
