import { readListParams } from "@toolwire/protocol/internal";
import type { Definition } from "../definition/definition.ts";
import type { ListPages } from "../registry/list-pages.ts";
import { expectKind } from "./expect-kind.ts";
import type { Handler } from "./routes.ts";

/** Answers requests for a list whose pages are prepared, if the server has things of the kind. */
export function listEntries(
  kind: "tools" | "resources" | "prompts",
  pagesOf: (definition: Definition) => ListPages,
): Handler {
  return (call, params) => {
    expectKind(call, kind);
    const { definition, revision, shows } = call;
    const { cursor } = readListParams(params);
    const pages = pagesOf(definition);
    return shows === undefined ? pages.page(revision, cursor) : pages.shownPage(revision, cursor, shows);
  };
}
