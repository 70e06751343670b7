import { UsageError } from "@toolwire/server";
import { itemsOf, type JsonMembers, memberOf, membersOf, textOf, textsOf } from "./json-value.ts";
import { MAX_OPERATIONS, MAX_PARAMETERS } from "./limits.ts";
import type { OperationModel, ReaderContext, SecurityAlternative } from "./model.ts";
import type { Located, LoadedDocument } from "./references.ts";

/** The methods that a path item can have. 3.2 adds `query`, and others in `additionalOperations`. */
const METHODS: ReadonlySet<string> = new Set([
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
  "trace",
  "query",
]);

/** An operation as the document has it, with what its path says for all of its operations. */
export interface RawOperation {
  readonly method: string;
  readonly path: string;
  readonly value: JsonMembers;
  readonly document: LoadedDocument;
  readonly pathItem: JsonMembers;
  /** Parameters of the path and of the operation, references followed. Those of the operation come later. */
  readonly parameters: readonly Located[];
  /** Filled by the reader of a version as well. */
  readonly problems: string[];
}

/**
 * Lists the operations of a document in their order.
 *
 * @throws UsageError if there are too many
 */
export function listOperations(context: ReaderContext): readonly RawOperation[] {
  const found: RawOperation[] = [];
  for (const [key, item] of membersOf(memberOf(context.root, "paths"))) {
    if (key.startsWith("x-")) continue;
    // Some documents forget the slash.
    const path = key.startsWith("/") ? key : `/${key}`;
    const followed = context.references.follow({ value: item, document: context.references.main });
    if (followed.problem !== undefined) {
      found.push(unreadable(context, path, followed.problem));
      continue;
    }
    const { value: pathItem, document } = followed;
    const members: JsonMembers = Object.fromEntries(membersOf(pathItem));
    for (const [method, value] of methodsOf(members)) {
      const parameters: Located[] = [];
      const problems: string[] = [];
      const raw = [itemsOf(members["parameters"]), itemsOf(memberOf(value, "parameters"))];
      if (raw.some(({ length }) => length > MAX_PARAMETERS)) {
        problems.push(`It has more than ${MAX_PARAMETERS} parameters.`);
      }
      for (const each of raw.flatMap((list) => list.slice(0, MAX_PARAMETERS))) {
        const parameter = context.references.follow({ value: each, document });
        if (parameter.problem === undefined) parameters.push(parameter);
        else problems.push(`A parameter cannot be read: ${parameter.problem}.`);
      }
      const operation: JsonMembers = Object.fromEntries(membersOf(value));
      found.push({ method, path, value: operation, document, pathItem: members, parameters, problems });
    }
    if (found.length > MAX_OPERATIONS) {
      throw new UsageError("INVALID_ARGUMENT", `The OpenAPI document has more than ${MAX_OPERATIONS} operations.`);
    }
  }
  return found;
}

function methodsOf(pathItem: JsonMembers): readonly (readonly [string, unknown])[] {
  const usual = membersOf(pathItem).flatMap(([method, value]) =>
    METHODS.has(method) ? [[method.toUpperCase(), value] as const] : [],
  );
  return [...usual, ...membersOf(memberOf(pathItem, "additionalOperations"))].filter(
    ([, value]) => typeof value === "object" && value !== null,
  );
}

/** The method of a path whose operations are not known. */
export const UNREADABLE = "*";

/** Stands for the operations of a path that is a reference to nowhere. */
function unreadable({ references }: ReaderContext, path: string, problem: string): RawOperation {
  const empty = { value: {}, document: references.main, pathItem: {}, parameters: [] };
  return { ...empty, method: UNREADABLE, path, problems: [`The path cannot be read: ${problem}.`] };
}

/** The members of an operation that mean the same in all versions. */
export type CommonParts = Pick<
  OperationModel,
  "id" | "method" | "path" | "tags" | "summary" | "description" | "isDeprecated" | "security" | "extensions"
>;

/** Reads the members of an operation that mean the same in all versions. */
export function readCommonParts({ root }: ReaderContext, operation: RawOperation): CommonParts {
  const { value, pathItem } = operation;
  return {
    id: textOf(memberOf(value, "operationId")),
    method: operation.method,
    path: operation.path,
    tags: textsOf(memberOf(value, "tags")),
    summary: textOf(memberOf(value, "summary")) ?? textOf(memberOf(pathItem, "summary")),
    description: textOf(memberOf(value, "description")) ?? textOf(memberOf(pathItem, "description")),
    isDeprecated: memberOf(value, "deprecated") === true,
    security: readSecurity(memberOf(value, "security") ?? memberOf(root, "security")),
    extensions: [root, pathItem, value].map((level) => memberOf(level, "x-toolwire") ?? memberOf(level, "x-mcp")),
  };
}

function readSecurity(value: unknown): readonly SecurityAlternative[] | undefined {
  return Array.isArray(value) ? itemsOf(value).map((each) => membersOf(each).map(([name]) => name)) : undefined;
}

/** Keeps one parameter for each name and place: the last one, which is the operation's own. */
export function mergeParameters<P extends { readonly name: string; readonly in: string }>(all: readonly P[]): P[] {
  const byPlace = new Map<string, P>();
  for (const parameter of all) {
    // Names of headers are the same in upper and lower case (RFC 9110, section 5.1).
    const name = parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name;
    byPlace.set(`${parameter.in} ${name}`, parameter);
  }
  return [...byPlace.values()];
}

/** Whether the key of a response stands for success: `200`, `2XX`. */
export function isSuccess(status: string): boolean {
  return /^2(\d\d|XX)$/i.test(status);
}
