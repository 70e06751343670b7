import { followPointer } from "@toolwire/json-schema/internal";
import {
  isObject,
  readParamHeaders,
  type ParamHeader,
  expectFunctions,
  type NameHints,
  type OptionNames,
} from "@toolwire/protocol/internal";
import {
  UsageError,
  type AnySchema,
  type JsonSchema,
  type SchemaDescription,
  type Tool,
  type ToolInputSchema,
  type ToolOutputSchema,
} from "@toolwire/protocol";
import { defined, expectDefinitionNames } from "../define/check-options.ts";
import { TOOL_HINTS } from "../define/other-names.ts";
import type { ToolMembers } from "../define/members.ts";
import type { ToolDefinition, ToolOptions } from "../define/tool.ts";
import type { ServerMiddleware } from "../define/middleware.ts";
import { scopesOf } from "../define/scopes.ts";
import type { Context } from "../define/context.ts";
import type { AddedToolHooks, CompiledExtensions } from "../extensions/compiled-extensions.ts";
import type { ListSettings } from "./pages.ts";
import { Registry, type Entry } from "./registry.ts";
import type { Schemas } from "./schemas.ts";

/** A schema that is not just true or false. */
type Keywords = { readonly [keyword: string]: unknown };

/** A tool that is ready to be called. */
export interface CompiledTool extends Entry {
  /** As clients see it. */
  readonly listing: Tool;
  readonly input: SchemaDescription["validate"];
  readonly output: SchemaDescription["validate"] | undefined;
  readonly headers: readonly ParamHeader[];
  readonly middleware: readonly ServerMiddleware[] | undefined;
  readonly scopes: readonly string[] | undefined;
  /** What extensions do with it; `undefined` if none does anything. */
  readonly hooks: readonly AddedToolHooks[] | undefined;
  /** Whether any of them runs around its calls. */
  readonly isHooked: boolean;
  run(args: unknown, ctx: Context): unknown;
}

const TOOL_OPTIONS: OptionNames<Omit<ToolOptions<undefined, undefined>, keyof ToolMembers>, typeof TOOL_HINTS> = {
  title: true,
  description: true,
  input: true,
  output: true,
  annotations: true,
  icons: true,
  middleware: true,
  scopes: true,
  _meta: true,
  run: true,
};

/** Options that extensions of this package add, for those who forget the extension. */
const EXTENSION_HINTS: NameHints = {
  task: "`task` belongs to an extension: createServer({ extensions: [tasks()] }), with `tasks` of @toolwire/server/tasks",
  view: "`view` belongs to an extension: createServer({ extensions: [views()] }), with `views` of @toolwire/server/views",
};

/** The tools of a server. */
export class ToolRegistry extends Registry<ToolDefinition, CompiledTool> {
  readonly #schemas: Schemas;
  readonly #extensions: CompiledExtensions | undefined;

  constructor(
    schemas: Schemas,
    settings: ListSettings,
    extensions: CompiledExtensions | undefined,
    onChange: () => void,
  ) {
    super("tool", settings, onChange);
    this.#schemas = schemas;
    this.#extensions = extensions;
  }

  protected override compile(name: string, definition: ToolDefinition, order: number): CompiledTool {
    const { title, description, annotations, icons, _meta } = definition;
    const options = { ...TOOL_OPTIONS, ...this.#extensions?.toolMembers };
    expectDefinitionNames("tool", name, definition, options, { ...EXTENSION_HINTS, ...TOOL_HINTS });
    if (typeof definition.run !== "function") {
      throw new UsageError("INVALID_DEFINITION", "`run` must be a function.");
    }
    const input = this.#readInput(definition.input);
    const output = definition.output === undefined ? undefined : this.#schemas.describe(definition.output, "output");
    const inputSchema = expectObjectSchema(input.jsonSchema);
    const middleware = expectFunctions("middleware", definition.middleware ?? []);
    const hooks = this.#extensions?.hooksFor({ name, definition }) ?? [];
    return {
      name,
      order,
      listing: defined<Tool>({
        name,
        title,
        description,
        inputSchema,
        outputSchema: output && spellOut(output.jsonSchema),
        annotations,
        icons,
        _meta,
      }),
      input: input.validate,
      output: output?.validate,
      headers: readParamHeaders(inputSchema),
      middleware: middleware.length === 0 ? undefined : middleware,
      scopes: scopesOf(definition),
      hooks: hooks.length === 0 ? undefined : hooks,
      isHooked: hooks.some((added) => added.hooks.call !== undefined),
      run: (args, ctx) => definition.run(args as never, ctx),
    };
  }

  #readInput(schema: AnySchema | undefined): SchemaDescription {
    return schema === undefined ? NO_ARGUMENTS : this.#schemas.describe(schema, "input");
  }
}

/** The input of a tool without `input`, as the tools page recommends. Arguments are refused by name. */
const NO_ARGUMENTS: SchemaDescription = {
  jsonSchema: { type: "object", additionalProperties: false },
  validate(value) {
    const issues = Object.keys(value as object).map((path) => ({
      path,
      kind: "unknown-property" as const,
      message: "unknown property: this tool takes none",
    }));
    return issues.length === 0 ? { ok: true, value } : { ok: false, issues };
  },
};

/**
 * Arguments travel by name, so the schema of a tool's input has to describe an object. It always has `properties`: OpenAI's
 * models refuse a schema without them, and all other tools with it.
 */
function expectObjectSchema(schema: JsonSchema): ToolInputSchema {
  if (typeof schema === "object" && describesObject(schema, schema)) {
    return { ...schema, type: "object", properties: schema["properties"] ?? {} };
  }
  throw new UsageError(
    "INVALID_SCHEMA",
    'The schema of an input needs `type: "object"` at the root. Wrap other values, as in z.object({ value: … }).',
  );
}

/** Whether only objects can fit. Unions of objects have no `type` at the root, where the protocol wants one. */
function describesObject(schema: unknown, root: Keywords, depth = 0): boolean {
  if (!isObject(schema) || depth > 8) return false;
  const { type, anyOf, oneOf, allOf, $ref } = schema;
  if (type !== undefined) return [type].flat().every((name) => name === "object");
  const fits = (part: unknown): boolean => describesObject(part, root, depth + 1);
  return (
    [anyOf, oneOf].some((branches) => Array.isArray(branches) && branches.length > 0 && branches.every(fits)) ||
    (Array.isArray(allOf) && allOf.some(fits)) ||
    (typeof $ref === "string" && fits(findDefinition($ref, root) ?? followPointer(root, $ref)))
  );
}

/** Finds the definition with this `$id`, which generators use as a reference. */
function findDefinition(reference: string, { $defs }: Keywords): unknown {
  // Other checks refuse entries that are not schemas.
  return Object.values(Object($defs) as object).find((each?: Keywords | null) => each?.["$id"] === reference);
}

/** Writes a schema that is `true` or `false` as an object. */
function spellOut(schema: JsonSchema): ToolOutputSchema {
  if (typeof schema === "object") return schema;
  return schema ? {} : { not: {} };
}
