import type { ToolAnnotations } from "@toolwire/server";
import { memberOf, textOf } from "../document/json-value.ts";
import type { HttpMethod } from "../request/request-spec.ts";

/** Wishes of the author of a document about tools: `x-toolwire` or `x-mcp`, on the document, a path or an operation. */
export interface ExtensionWishes {
  /** `false`: no tool. `true`: a tool, although an outer level says no. */
  readonly isIncluded: boolean | undefined;
  readonly name: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly annotations: ToolAnnotations;
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/** Reads the wishes of the document, the path and the operation. The innermost that says something wins. */
export function readExtensions(levels: readonly unknown[], method: HttpMethod): ExtensionWishes {
  let isIncluded: boolean | undefined;
  let annotations: ToolAnnotations = {};
  for (const level of levels) {
    const flag = typeof level === "boolean" ? level : (memberOf(level, "enabled") ?? memberOf(level, "include"));
    if (typeof flag === "boolean") isIncluded = flag;
    annotations = { ...annotations, ...readAnnotations(memberOf(level, "annotations"), method) };
  }
  // A name for a path or a document would be the same for many tools.
  const last = levels.at(-1);
  return {
    isIncluded,
    name: textOf(memberOf(last, "name")),
    title: textOf(memberOf(last, "title")),
    description: textOf(memberOf(last, "description")),
    annotations,
  };
}

/** Clients may skip a question to the user for tools that only read, so a document cannot claim that of methods that write. */
function readAnnotations(value: unknown, method: HttpMethod): ToolAnnotations {
  const mayRead = method === "GET" || method === "HEAD" || method === "OPTIONS" || method === "POST";
  const hints = HINTS.flatMap((hint) => {
    const given = memberOf(value, hint);
    if (typeof given !== "boolean" || (hint === "readOnlyHint" && given && !mayRead)) return [];
    return [[hint, given] as const];
  });
  return Object.fromEntries(hints);
}
