import { methodNotFound } from "../errors.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { readListParams } from "@toolwire/protocol/internal";
import type { Definition } from "../define/options.ts";
import type { ListPages } from "../registry/pages.ts";
import type { Handler } from "./routes.ts";

/** What a server may have or not, as its capabilities name it. */
export type Kind = "tools" | "prompts" | "resources" | "completions";

/** Throws -32601 if the server has nothing of a kind: then it does not serve the methods for that kind, either. */
export function expectKind({ definition, method }: ServedRequest, kind: Kind): void {
  if (definition.capabilities[kind] === undefined) throw methodNotFound(method);
}

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
