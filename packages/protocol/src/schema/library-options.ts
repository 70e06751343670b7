/**
 * How the converters of schema libraries have to be asked so that all behave alike: a check that JSON Schema has no
 * words for (`refine`, `narrow`, `check`) is left out of the JSON Schema and still runs in the library; a *type* that
 * JSON cannot carry is an error. zod does that by itself.
 */

/** Which way a value travels: what a sender may pass in, or what the receiver gets out. */
export type SchemaDirection = "input" | "output";

interface ArktypeContext {
  readonly code: string;
  readonly base: unknown;
}

interface ValibotContext {
  readonly valibotAction: { readonly kind: string };
  readonly jsonSchema: unknown;
  readonly errors: readonly string[] | undefined;
}

/** The options to pass to the converter of this library, if it needs any. */
export function libraryOptions(vendor: string, direction: SchemaDirection): Record<string, unknown> | undefined {
  if (vendor === "arktype") {
    // Left to itself, it turns a Date or a bigint into `{}`, which promises that anything goes.
    const keep = ({ base }: ArktypeContext): unknown => base;
    const refuse = ({ code }: ArktypeContext): never => {
      throw new Error(`JSON Schema has no equivalent of this "${code}".`);
    };
    return { fallback: { default: refuse, predicate: keep, patternIntersection: keep, defaultValue: () => undefined } };
  }
  if (vendor === "valibot") {
    // Left to itself, it throws on `check`, and on `trim` as well. What trims an input makes the advertised schema a
    // little stricter than the library is; what trims an output would make it promise too much.
    const overrideAction = ({ valibotAction, jsonSchema, errors }: ValibotContext): unknown =>
      errors !== undefined && (valibotAction.kind === "validation" || direction === "input") ? jsonSchema : undefined;
    return { overrideAction };
  }
  return undefined;
}
