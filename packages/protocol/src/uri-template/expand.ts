/** Template and values to URI (RFC 6570, section 3). */

import { UsageError } from "../errors.ts";
import { encodeReserved, encodeUnreserved, type Expression, type Part, type Variable } from "./syntax.ts";

/** One simple value; null and undefined mean that there is none. */
export type UriTemplateScalar = string | number | boolean | null | undefined;

/** The value of a variable. A list or object without any defined member counts as undefined. */
export type UriTemplateValue =
  | UriTemplateScalar
  | readonly UriTemplateScalar[]
  | Readonly<Record<string, UriTemplateScalar>>;

/** Fills in the values. Throws a `UsageError` for a value that its variable cannot take. */
export function expandParts(parts: readonly Part[], values: Readonly<Record<string, UriTemplateValue>>): string {
  let uri = "";
  for (const part of parts) uri += typeof part === "string" ? part : expandExpression(part, values);
  return uri;
}

function expandExpression(expression: Expression, values: Readonly<Record<string, UriTemplateValue>>): string {
  const { first, separator } = expression.operator;
  const items = expression.variables.flatMap((variable) =>
    Object.hasOwn(values, variable.name) ? expandVariable(expression, variable, values[variable.name]) : [],
  );
  return items.length === 0 ? "" : first + items.join(separator);
}

function expandVariable({ operator }: Expression, variable: Variable, value: UriTemplateValue): string[] {
  const { name, prefix, isExploded } = variable;
  const encode = (scalar: unknown): string => encodeScalar(name, scalar, operator.allowsReserved);
  const label = (key: string, encoded: string): string =>
    operator.isNamed ? key + (encoded === "" ? operator.ifEmpty : `=${encoded}`) : encoded;

  if (value === undefined || value === null) return [];
  if (typeof value !== "object") {
    return [label(name, encode(prefix === 0 ? value : takeCharacters(String(value), prefix, operator.allowsReserved)))];
  }
  if (prefix > 0) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `The variable "${name}" has the length ${prefix} in the template, so its value must be a string, not a list or object.`,
    );
  }
  if (Array.isArray(value)) {
    const members = value.filter(isDefined).map(encode);
    if (members.length === 0) return [];
    return isExploded ? members.map((member) => label(name, member)) : [label(name, members.join(","))];
  }
  const pairs = Object.entries(value)
    .filter(([, member]) => isDefined(member))
    .map(([key, member]) => [encode(key), encode(member)] as const);
  if (pairs.length === 0) return [];
  if (!isExploded) return [label(name, pairs.flat().join(","))];
  return pairs.map(([key, member]) => (operator.isNamed ? label(key, member) : `${key}=${member}`));
}

// One character as UTF-8 in triplets, one of whatever else.
const ENCODED_CHARACTER =
  /%F[0-7](?:%[89AB][\dA-F]){3}|%E[\dA-F](?:%[89AB][\dA-F]){2}|%[CD][\dA-F]%[89AB][\dA-F]|%[\dA-F]{2}|./gisu;

/**
 * The first characters of a text. None is cut in two (section 2.4.1): code points are counted, and, where triplets
 * stay as they are, those that stand for one.
 */
export function takeCharacters(text: string, count: number, hasTriplets = false): string {
  const characters = hasTriplets ? (text.match(ENCODED_CHARACTER) ?? []) : Array.from(text);
  return characters.slice(0, count).join("");
}

function isDefined(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function encodeScalar(name: string, value: unknown, allowsReserved: boolean): string {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `The value of the variable "${name}" holds ${typeof value === "object" ? "a nested list or object" : `a ${typeof value}`}; ` +
        "give a string, number or boolean, or a flat list or object of these.",
    );
  }
  try {
    return allowsReserved ? encodeReserved(String(value)) : encodeUnreserved(String(value));
  } catch (cause) {
    throw new UsageError("INVALID_ARGUMENT", `The value of the variable "${name}" holds half of a surrogate pair.`, {
      cause,
    });
  }
}
