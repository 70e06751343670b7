/**
 * Types that let the compiler say what to do. It prints the names of types and the values of literal types, so a message
 * such as `not assignable to type 'ToolContent<"to return data, declare `output`">'` teaches more than the type itself.
 */

/** Adds nothing to a union. It makes the union depend on the hint, because the compiler prints no argument without effect. */
export type PrintedHint<Hint extends string> = Hint extends string ? never : Hint;
