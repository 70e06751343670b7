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

/** The argument that the user is typing, and what it belongs to. */
export interface CompleteParams extends RequestParams {
  ref: PromptReference | ResourceTemplateReference;
  argument: {
    name: string;
    /** What has been typed so far. */
    value: string;
  };
  /** The arguments that are already filled in (since 2025-06-18). */
  context?: { arguments?: { readonly [argument: string]: string } | undefined } | undefined;
}

/** Suggestions, best first. */
export interface CompleteResult extends Result {
  completion: {
    /** At most 100. */
    values: readonly string[];
    /** How many suggestions there are in total, including those beyond `values`. */
    total?: number | undefined;
    hasMore?: boolean | undefined;
  };
}
