/** The variables of an RFC 6570 template with the types that matching gives them. */
export type TemplateValues<T extends string> = string extends T
  ? { readonly [variable: string]: string | string[] | Record<string, string> | undefined }
  : { readonly [K in ExpressionsOf<T> as VariableName<VariableOf<K>>]: Value<VariableOf<K>> | Absence<K> };

/** The texts between braces. */
type ExpressionsOf<T extends string> = T extends `${string}{${infer Expression}}${infer Rest}`
  ? Split<Expression> | ExpressionsOf<Rest>
  : never;

/** `?a,b` as `?a` and `?b`: each variable with the operator in front. */
type Split<E extends string> =
  E extends `${infer Operator extends "+" | "#" | "." | "/" | ";" | "?" | "&"}${infer Rest}`
    ? `${Operator}${Names<Rest>}`
    : Names<E>;

type Names<E extends string> = E extends `${infer First},${infer Rest}` ? First | Names<Rest> : E;

/** Without the operator. */
type VariableOf<E extends string> = E extends `${"+" | "#" | "." | "/" | ";" | "?" | "&"}${infer Name}` ? Name : E;

/** Without the modifier. */
type VariableName<V extends string> = V extends `${infer Name}*`
  ? Name
  : V extends `${infer Name}:${string}`
    ? Name
    : V;

/** Exploded variables hold several values. */
type Value<V extends string> = V extends `${string}*` ? string | string[] | Record<string, string> : string;

/** Those of a query, of matrix parameters and fragments may be absent. */
type Absence<E extends string> = E extends `${"?" | "&" | ";" | "#" | "." | "/"}${string}` ? undefined : never;
