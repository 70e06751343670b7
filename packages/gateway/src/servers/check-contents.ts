import type { ImportReport } from "@toolwire/openapi";
import { findNearestName } from "@toolwire/json-schema/internal";
import type { FilterConfig, OpenApiConfig, ServerConfig } from "../config/config.ts";
import type { ConfigPath, ConfigProblem } from "../config/problem.ts";
import { matchAny } from "../upstreams/match-names.ts";

/**
 * Finds what a server's configuration says about tools that it does not have. `tools` are the names of all its tools; rules may
 * name them by `others`, too.
 */
export function checkNames(
  slug: string,
  config: ServerConfig,
  tools: readonly string[],
  others: readonly string[] = [],
): readonly ConfigProblem[] {
  const path = ["servers", slug];
  if (tools.length === 0) return [offersNothing(config, path)];
  const { overrides = {}, access = [], groups = {} } = config;
  const names = [...tools, ...others];
  const known = new Set(names);
  return [
    ...Object.keys(overrides)
      .filter((name) => !known.has(name))
      .map((name) =>
        warning([...path, "overrides", name], `This server has no tool of this name.${advise(name, names)}`),
      ),
    ...Object.entries(groups).flatMap(([group, { tools: patterns = [] }]) =>
      checkPatterns(patterns, names, [...path, "groups", group, "tools"]),
    ),
    ...access.flatMap((rule, index) => checkPatterns(rule.tools, names, [...path, "access", index, "tools"])),
  ];
}

/** Finds patterns that match no name. */
export function checkPatterns(
  patterns: readonly string[],
  names: readonly string[],
  path: ConfigPath,
): readonly ConfigProblem[] {
  return [...patterns.entries()]
    .filter(([, pattern]) => !names.some(matchAny([pattern])))
    .map(([index, pattern]) => warning([...path, index], `No tool has this name.${advise(pattern, names)}`));
}

/** Finds credentials that neither a tool nor a document uses. */
export function checkUnusedCredentials(
  slug: string,
  { credentials = {}, upstreams }: ServerConfig,
  used: ReadonlySet<string>,
): readonly ConfigProblem[] {
  const advice =
    upstreams === undefined
      ? "Name it in the `credential` of a tool, or give it the name of a security scheme of the document."
      : "Tools name it in `credential`. Upstreams have `headers`, `env` and `auth` of their own.";
  return Object.keys(credentials)
    .filter((name) => !used.has(name))
    .map((name) => warning(["servers", slug, "credentials", name], `Nothing uses this credential. ${advice}`));
}

/** Turns what an import has to say into problems with places. */
export function checkReport(
  { tools, operations, warnings }: ImportReport,
  { include = {}, exclude = {} }: OpenApiConfig,
  path: ConfigPath,
): readonly ConfigProblem[] {
  const entries = [...entriesOf(include, [...path, "include"]), ...entriesOf(exclude, [...path, "exclude"])];
  const offersNone = tools === 0 && operations.length > 0;
  return warnings.map((message) => {
    const entry = entries.find(({ text }) => message.startsWith(`"${text}" matches no operation.`));
    if (entry !== undefined) return warning(entry.path, message);
    return offersNone && message.startsWith("None of ") ? fault(path, message) : warning(path, message);
  });
}

/** Something that cannot work, whatever else does. */
export function fault(path: ConfigPath, message: string): ConfigProblem {
  return { severity: "error", keepsRunning: true, path, message };
}

function warning(path: ConfigPath, message: string): ConfigProblem {
  return { severity: "warning", path, message };
}

/** A server that rests may be unfinished. */
function offersNothing(
  { status = "active", tools, openapi, upstreams }: ServerConfig,
  path: ConfigPath,
): ConfigProblem {
  const hasSource = openapi !== undefined || upstreams !== undefined || Object.keys(tools ?? {}).length > 0;
  const message = hasSource
    ? "This server has no tool, so clients find nothing."
    : "This server offers nothing. Give it `tools`, `openapi` or `upstreams`.";
  return status === "active" ? fault(path, message) : warning(path, message);
}

function entriesOf(
  filter: FilterConfig,
  path: ConfigPath,
): readonly { readonly text: string; readonly path: ConfigPath }[] {
  return Object.entries(filter).flatMap(([rule, texts]) =>
    (texts as readonly string[]).map((text, index) => ({ text, path: [...path, rule, index] })),
  );
}

function advise(name: string, names: readonly string[]): string {
  const nearest = findNearestName(name.replaceAll("*", ""), names);
  return nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
}
