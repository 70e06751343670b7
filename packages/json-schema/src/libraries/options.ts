import type { StandardSchema } from "./standard-schema.ts";

/**
 * Options that make the converters of schema libraries behave alike. A check that JSON Schema cannot express (`refine`,
 * `narrow`, `check`, a regular expression with flags) is left out of the JSON Schema and still runs in the library. A *type*
 * that JSON cannot carry is an error.
 */

/** The side of defaults and transforms: values before them (`input`) or after them (`output`). */
export type SchemaDirection = "input" | "output";

interface ArktypeSchema {
  readonly expression?: string;
  select?(kind: "pattern"): readonly { readonly flags?: string }[];
}

interface ArktypeContext {
  readonly code: string;
  readonly base?: unknown;
}

interface ValibotContext {
  readonly valibotAction: { readonly kind: string; readonly type: string; readonly requirement?: unknown };
  readonly jsonSchema: Patterns;
  readonly errors: readonly string[] | undefined;
}

interface ZodContext {
  readonly zodSchema: ZodCheck & { readonly _zod: { readonly def: { readonly checks?: readonly ZodCheck[] } } };
  readonly jsonSchema: Patterns;
}

interface ZodCheck {
  readonly _zod: { readonly def: { readonly pattern?: unknown } };
}

/** The keywords in which converters write patterns: zod writes several of them into `allOf`. */
interface Patterns {
  pattern?: unknown;
  allOf?: unknown;
}

/**
 * Whether a regular expression has flags that change its meaning. JSON Schema has no flags.
 */
function hasFlags(pattern: unknown): pattern is RegExp {
  return /[imsvy]/.test((pattern as RegExp | undefined)?.flags ?? "");
}

/** The options to pass to the converters of arktype, valibot and zod; each takes those it knows. */
export function libraryOptions(schema: StandardSchema, direction: SchemaDirection): Record<string, unknown> {
  const keep = ({ base }: ArktypeContext): unknown => base;
  const refuse = ({ code }: ArktypeContext): never => {
    throw new Error(`JSON Schema has no equivalent of this "${code}".`);
  };
  const { expression } = schema as ArktypeSchema;
  // Refuses a morph without a declared result, which would become `{}`. Only the expression shows it.
  if (direction === "output" && expression?.includes("=> Out<unknown>")) refuse({ code: "morph" });
  if ((schema as ArktypeSchema).select?.("pattern").some(hasFlags)) refuse({ code: "flag" });
  return {
    // By default, arktype turns a Date or a bigint into `{}`, which accepts anything.
    fallback: { default: refuse, predicate: keep, patternIntersection: keep, defaultValue: () => undefined },
    // By default, valibot throws on `check` and on `trim`. A transformation of an input is ignored: the advertised schema is a
    // little stricter than the library then. For an output, it would promise too much. Brands change no value.
    overrideAction({ valibotAction: { kind, type, requirement }, jsonSchema, errors }: ValibotContext): unknown {
      if (hasFlags(requirement) && jsonSchema.pattern === requirement.source) delete jsonSchema.pattern;
      const isKept = kind !== "transformation" || direction === "input" || /brand|flavor|readonly/.test(type);
      return errors !== undefined && isKept ? jsonSchema : undefined;
    },
    // By default, zod drops the flags of regular expressions.
    override({ zodSchema, jsonSchema }: ZodContext): void {
      const { _zod: own } = zodSchema;
      const checks = [zodSchema, ...(own.def.checks ?? [])];
      if (!checks.some(({ _zod }) => hasFlags(_zod.def.pattern))) return;
      delete jsonSchema.pattern;
      delete jsonSchema.allOf;
    },
  };
}
