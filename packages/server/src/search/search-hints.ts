import type { ToolDefinition } from "../define/tool.ts";

/** What a search finds a tool by besides its texts. It is never shown to callers. */
export interface SearchHints {
  /** Words that people use for what the tool does, if its texts do not have them: `["ticket", "bug"]`. */
  readonly keywords?: readonly string[] | undefined;
  /** The subjects that the tool belongs to. */
  readonly tags?: readonly string[] | undefined;
  /** The method of HTTP that the tool calls, in capital letters. */
  readonly method?: string | undefined;
  /** The path that the tool calls, as a document writes it, such as `/users/{id}`. */
  readonly path?: string | undefined;
  /** Whether other tools are to be found before this one. */
  readonly isDeprecated?: boolean | undefined;
}

const hintsOfTools = new WeakMap<object, SearchHints>();

/**
 * Says what else a search finds a tool by. Returns the tool.
 *
 * @example
 * ```ts
 * const create_issue = findBy({ keywords: ["ticket", "bug"] }, tool({ description: "Creates an issue", run: () => "…" }));
 * ```
 */
export function findBy<Definition extends ToolDefinition>(hints: SearchHints, definition: Definition): Definition {
  hintsOfTools.set(definition, hints);
  return definition;
}

/** What else a search finds a tool by, if {@link findBy} was told. */
export function searchHintsOf(definition: ToolDefinition): SearchHints | undefined {
  return hintsOfTools.get(definition);
}
