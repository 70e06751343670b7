/**
 * Types that let the compiler say what to do. It prints the names of types and the values of literal types, so a message
 * such as `not assignable to type 'ToolContent<"to return data, declare `output`">'` teaches more than the type itself.
 */

/** Takes the place of a type that follows from a schema if there is an object of schemas instead. Nothing else fits it. */
interface ObjectOfSchemas<Hint extends string> {
  readonly "~hint": Hint;
}

/**
 * `T`, which follows from the schema `S`, unless `S` is an object of schemas such as `{ city: z.string() }`, which is easily
 * mistaken for a schema. The type of the schema itself cannot depend on that: a function whose own parameter is a schema of
 * a generic type could then not pass it on.
 */
export type UnlessObjectOfSchemas<S, Hint extends string, T> = S extends {
  readonly [name: string]: { readonly "~standard": object };
}
  ? keyof S extends never
    ? T
    : ObjectOfSchemas<Hint>
  : T;

/** Adds nothing to a union. It makes the union depend on the hint, because the compiler prints no argument without effect. */
export type PrintedHint<Hint extends string> = Hint extends string ? never : Hint;
