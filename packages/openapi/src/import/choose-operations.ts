import { expectChoice, expectFunction, expectOptions, type OptionNames } from "@toolwire/protocol/internal";
import { UsageError } from "@toolwire/server";
import type { OperationModel } from "../document/model.ts";
import type { HttpMethod } from "../request/request-spec.ts";
import { type ExtensionWishes, readExtensions } from "./extension.ts";
import { type CompiledFilter, compileFilter } from "./filters.ts";
import type { OperationInfo, SkipKind } from "./imported-operation.ts";
import { isLegalArgument, type NameStyle, nameTools } from "./names.ts";
import { cleanLine } from "../schema/describe.ts";
import { UNREADABLE } from "../document/read-paths.ts";
import type { OpenApiOptions, ToolOverrides } from "./options.ts";

/** An operation with its name, and what its author and the user want of it. */
export interface ChosenOperation {
  readonly operation: OperationModel;
  readonly name: string;
  readonly info: OperationInfo;
  readonly wishes: ExtensionWishes;
  readonly overrides: ToolOverrides;
  /** Why there shall be no tool. */
  readonly reason: Skip | undefined;
}

/** The reason for which an operation becomes no tool. */
interface Skip {
  readonly kind: SkipKind;
  readonly text: string;
}

/** All operations of a document, and entries of `include` and `exclude` that fit none of them. */
export interface Choice {
  readonly operations: readonly ChosenOperation[];
  readonly unmatched: readonly string[];
}

const METHODS: ReadonlySet<string> = new Set<HttpMethod>(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);

/**
 * Decides which operations become tools, and names all of them, so that a name does not depend on what else is chosen.
 *
 * @throws UsageError if a name that the user has chosen is not legal, or used twice
 */
export function chooseOperations(operations: readonly OperationModel[], options: OpenApiOptions): Choice {
  const include = options.include === undefined ? undefined : compileFilter("include", options.include);
  const exclude = options.exclude === undefined ? undefined : compileFilter("exclude", options.exclude);
  const change = options.tool === undefined ? undefined : expectFunction("tool", options.tool);
  const { rename, style } = readNames(options.names);
  const nameable = operations.map((operation) => {
    const wishes = readExtensions(operation.extensions, operation.method as HttpMethod);
    const { id, method, path } = operation;
    return { operation, wishes, id, method, path, suggestion: wishes.name };
  });
  // Filters know operations by these names, whatever is chosen for them afterwards.
  const usual = nameTools(nameable, style);
  const judged = nameable.map(({ operation, wishes, suggestion }, index) => {
    const info = infoOf(operation, usual[index]!);
    const reason = findReason(info, wishes, include, exclude, options);
    const overrides = reason === undefined ? expectOverrides(change?.(info)) : undefined;
    const chosen = reason === undefined && overrides !== false ? (overrides?.name ?? rename?.(info)) : undefined;
    return {
      operation,
      info,
      wishes,
      suggestion,
      overrides: overrides === false || overrides === undefined ? {} : overrides,
      reason: overrides === false ? choice("The function `tool` leaves it out.") : reason,
      chosen: chosen === undefined ? undefined : expectName(chosen, info),
    };
  });
  const names = judged.every(({ chosen }) => chosen === undefined)
    ? usual
    : nameTools(
        judged.map(({ info, suggestion, chosen }) => ({ ...info, suggestion, chosen })),
        style,
      );
  const chosen = judged.map((each, index): ChosenOperation => ({ ...each, name: names[index]! }));
  refuseDuplicates(chosen.filter(({ reason }) => reason === undefined));
  return { operations: chosen, unmatched: [...(include?.unmatched() ?? []), ...(exclude?.unmatched() ?? [])] };
}

const OVERRIDES: OptionNames<ToolOverrides> = {
  name: true,
  title: true,
  description: true,
  annotations: true,
  auth: true,
  baseUrl: true,
  bodyType: true,
  response: true,
  timeout: true,
  retries: true,
};

function expectOverrides(value: ToolOverrides | false | undefined): ToolOverrides | false | undefined {
  return value === false || value === undefined ? value : expectOptions("tool", value, OVERRIDES);
}

function readNames(names: OpenApiOptions["names"]): {
  readonly rename: ((operation: OperationInfo) => string | undefined) | undefined;
  readonly style: NameStyle;
} {
  if (typeof names === "function") return { rename: names, style: "readable" };
  return { rename: undefined, style: expectChoice("names", ["readable", "operationId", "path"], names) };
}

function infoOf(operation: OperationModel, name: string): OperationInfo {
  const { id, path, tags, summary, description, isDeprecated } = operation;
  return { id, name, method: operation.method as HttpMethod, path, tags, summary, description, isDeprecated };
}

function findReason(
  info: OperationInfo,
  { isIncluded }: ExtensionWishes,
  include: CompiledFilter | undefined,
  exclude: CompiledFilter | undefined,
  options: OpenApiOptions,
): Skip | undefined {
  const fits = include?.fits(info) ?? true;
  const isExcluded = exclude?.fits(info) ?? false;
  const isNamed = include?.names(info) ?? false;
  if (!fits) return choice("`include` does not name it.");
  if (isExcluded) return choice("`exclude` leaves it out.");
  // A path that cannot be read stands for itself, and has a problem of its own.
  const method: string = info.method;
  if (!METHODS.has(method) && method !== UNREADABLE) {
    return { kind: "problem", text: `The method ${cleanLine(method, 40)} is not supported.` };
  }
  if (isIncluded === false && !isNamed) {
    return choice("The document leaves it out (`x-toolwire` or `x-mcp`).");
  }
  if (info.isDeprecated && !isNamed && options.deprecated !== true) {
    return { kind: "deprecated", text: "It is deprecated." };
  }
  return undefined;
}

function choice(text: string): Skip {
  return { kind: "choice", text };
}

function expectName(name: string, { method, path }: OperationInfo): string {
  if (typeof name === "string" && isLegalArgument(name)) return name;
  throw new UsageError(
    "INVALID_DEFINITION",
    `${JSON.stringify(name)} cannot be the name of the tool for ${method} ${path}: use 1 to 64 letters A-Z and a-z, digits, "_", "-" and ".".`,
  );
}

function refuseDuplicates(chosen: readonly ChosenOperation[]): void {
  const seen = new Map<string, OperationInfo>();
  for (const { name, info } of chosen) {
    const other = seen.get(name);
    if (other !== undefined) {
      throw new UsageError(
        "DUPLICATE_NAME",
        `${other.method} ${other.path} and ${info.method} ${info.path} are both called "${name}". Choose other names.`,
      );
    }
    seen.set(name, info);
  }
}
