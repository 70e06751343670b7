import type { StandardSchema } from "./standard-schema.ts";

/**
 * How the converters of schema libraries have to be asked so that all behave alike: a check that JSON Schema has no
 * words for (`refine`, `narrow`, `check`, a regular expression with flags) is left out of the JSON Schema and still
 * runs in the library; a *type* that JSON cannot carry is an error.
 */

/** Which way a value travels: what a sender may pass in, or what the receiver gets out. */
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

/** Where converters write patterns: zod puts several of them into `allOf`. */
interface Patterns {
  pattern?: unknown;
  allOf?: unknown;
}

/**
 * Whether this is a regular expression that means something else without its flags, which JSON Schema does not have.
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
  // A morph that does not say what it yields would become `{}`. Of that, only the expression tells.
  if (direction === "output" && expression?.includes("=> Out<unknown>")) refuse({ code: "morph" });
  if ((schema as ArktypeSchema).select?.("pattern").some(hasFlags)) refuse({ code: "flag" });
  return {
    // Left to itself, arktype turns a Date or a bigint into `{}`, which promises that anything goes.
    fallback: { default: refuse, predicate: keep, patternIntersection: keep, defaultValue: () => undefined },
    // Left to itself, valibot throws on `check`, and on `trim` as well. What trims an input makes the advertised schema
    // a little stricter than the library is; what trims an output would make it promise too much. Brands change no
    // value.
    overrideAction({ valibotAction: { kind, type, requirement }, jsonSchema, errors }: ValibotContext): unknown {
      if (hasFlags(requirement) && jsonSchema.pattern === requirement.source) delete jsonSchema.pattern;
      const isKept = kind !== "transformation" || direction === "input" || /brand|flavor|readonly/.test(type);
      return errors !== undefined && isKept ? jsonSchema : undefined;
    },
    // Left to itself, zod drops the flags of regular expressions.
    override({ zodSchema, jsonSchema }: ZodContext): void {
      const { _zod: own } = zodSchema;
      const checks = [zodSchema, ...(own.def.checks ?? [])];
      if (!checks.some(({ _zod }) => hasFlags(_zod.def.pattern))) return;
      delete jsonSchema.pattern;
      delete jsonSchema.allOf;
    },
  };
}
