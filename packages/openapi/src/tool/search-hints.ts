import type { HttpMethod } from "../request/request-spec.ts";

/** What is known of the operation behind a tool: a search finds the tool by it. It is never shown to callers. */
export interface SearchHints {
  readonly method?: HttpMethod | undefined;
  /** The path as a document writes it, such as `/users/{id}`. */
  readonly path?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly isDeprecated?: boolean | undefined;
}
