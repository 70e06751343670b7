import { expectOptions, invalidOption } from "@toolwire/protocol/internal";
import { compileGlob } from "./glob.ts";
import type { OperationInfo } from "./imported-operation.ts";
import type { OperationFilter, OperationFilterRules } from "./options.ts";

/** A filter, compiled. */
export interface CompiledFilter {
  /** Whether an operation fits. */
  fits(operation: OperationInfo): boolean;
  /** Whether the filter names the operation by its exact id, or the name of its tool. */
  names(operation: OperationInfo): boolean;
  /** The ids, tags, methods and paths that have matched no operation so far. */
  unmatched(): readonly string[];
}

/** Compiles a filter. */
export function compileFilter(option: string, filter: OperationFilter): CompiledFilter {
  if (typeof filter === "function") return { fits: filter, names: () => false, unmatched: () => [] };
  const rules = Array.isArray(filter) ? { operations: filter as readonly string[] } : (filter as OperationFilterRules);
  expectOptions(option, rules, { operations: true, tags: true, methods: true, paths: true });
  const operations = compileRule(`${option}.operations`, rules.operations, ({ id, name }) =>
    id === undefined ? [name] : [id, name],
  );
  const all = [
    operations,
    compileRule(
      `${option}.tags`,
      rules.tags,
      ({ tags }) => tags,
      (entry) => entry,
    ),
    compileRule(
      `${option}.methods`,
      rules.methods,
      ({ method }) => [method],
      (entry) => entry.toUpperCase(),
    ),
    compileRule(`${option}.paths`, rules.paths, ({ path }) => [path], undefined, "/"),
  ].filter((rule) => rule !== undefined);
  const exact = new Set(rules.operations);
  return {
    // Every rule looks at the operation, so that all of them know which of their entries matched nothing.
    fits: (operation) => all.map((rule) => rule.fits(operation)).every(Boolean),
    names: ({ id, name }) => exact.has(name) || (id !== undefined && exact.has(id)),
    unmatched: () => all.flatMap((rule) => rule.unmatched()),
  };
}

interface Rule {
  fits(operation: OperationInfo): boolean;
  unmatched(): readonly string[];
}

function compileRule(
  name: string,
  entries: readonly string[] | undefined,
  read: (operation: OperationInfo) => readonly string[],
  /** Given: entries are compared as they are, after this change. */
  change?: (entry: string) => string,
  separator?: string,
): Rule | undefined {
  if (entries === undefined) return undefined;
  if (!Array.isArray(entries) || entries.some((entry) => typeof entry !== "string")) {
    throw invalidOption(name, entries, "a list of texts");
  }
  const tests = (entries as readonly string[]).map((entry) => {
    const changed = change?.(entry);
    const test = changed === undefined ? compileGlob(entry, separator) : (text: string) => text === changed;
    return { entry, test, hasMatched: false };
  });
  return {
    fits(operation) {
      const values = read(operation);
      let fits = false;
      for (const each of tests) {
        if (!values.some((value) => each.test(value))) continue;
        each.hasMatched = true;
        fits = true;
      }
      return fits;
    },
    unmatched: () => tests.filter(({ hasMatched }) => !hasMatched).map(({ entry }) => entry),
  };
}
