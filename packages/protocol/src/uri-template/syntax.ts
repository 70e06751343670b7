/** The grammar of RFC 6570: template text to literals and expressions, and the two ways to encode a value. */

import { UsageError } from "../errors.ts";

/** The way an expression expands, by its operator (RFC 6570, appendix A). */
interface Operator {
  /** Written once, before the first defined variable. */
  readonly first: string;
  /** Written between variables, and between the items of an exploded one. */
  readonly separator: string;
  /** Whether `name=` precedes a value. */
  readonly isNamed: boolean;
  /** Written after the name of a variable whose value is empty. */
  readonly ifEmpty: string;
  /** Whether reserved characters and percent-encoded triplets stay as they are. */
  readonly allowsReserved: boolean;
}

/** One variable of an expression, with its modifier. */
export interface Variable {
  readonly name: string;
  /** `:n`, the number of characters to keep; 0 if there is no such modifier. */
  readonly prefix: number;
  /** `*`, each item of a list or object on its own. */
  readonly isExploded: boolean;
}

/** `{...}` in a template. */
export interface Expression {
  readonly operator: Operator;
  readonly variables: readonly Variable[];
}

/** A string is a literal as it appears in the expanded URI. */
export type Part = string | Expression;

const OPERATORS: Readonly<Record<string, Operator>> = {
  "": { first: "", separator: ",", isNamed: false, ifEmpty: "", allowsReserved: false },
  "+": { first: "", separator: ",", isNamed: false, ifEmpty: "", allowsReserved: true },
  "#": { first: "#", separator: ",", isNamed: false, ifEmpty: "", allowsReserved: true },
  ".": { first: ".", separator: ".", isNamed: false, ifEmpty: "", allowsReserved: false },
  "/": { first: "/", separator: "/", isNamed: false, ifEmpty: "", allowsReserved: false },
  ";": { first: ";", separator: ";", isNamed: true, ifEmpty: "", allowsReserved: false },
  "?": { first: "?", separator: "&", isNamed: true, ifEmpty: "=", allowsReserved: false },
  "&": { first: "&", separator: "&", isNamed: true, ifEmpty: "=", allowsReserved: false },
};

/** Bounds on templates, which may come from a peer, so that matching one stays cheap. */
const MAX_LENGTH = 8192;
const MAX_VARIABLES = 64;

// Section 2.1, with the apostrophe that the RFC left out by mistake (erratum 6937).
const NOT_LITERAL = /[^!#-;=?-[\]_a-z~\u00A0-\uFFFF]|%(?![\dA-Fa-f]{2})/;
// Sections 2.3 and 2.4. No two alternatives can begin alike, so there is nothing to backtrack into.
const VARIABLE = /((?:\w|%[\dA-Fa-f]{2})+(?:\.(?:\w|%[\dA-Fa-f]{2})+)*)(?::([1-9]\d{0,3})|(\*))?/y;

/** Reads a template. Throws a `UsageError` that names the position of the mistake. */
export function parseParts(template: string): Part[] {
  if (template.length > MAX_LENGTH) {
    fail(template, MAX_LENGTH, `more than ${MAX_LENGTH} characters are not allowed here`);
  }
  const parts: Part[] = [];
  let variables = 0;
  for (let position = 0; position < template.length;) {
    const brace = template.indexOf("{", position);
    const open = brace === -1 ? template.length : brace;
    if (open > position) parts.push(parseLiteral(template, position, open));
    if (open === template.length) break;
    const close = template.indexOf("}", open);
    if (close === -1) fail(template, open, "this expression is never closed; add `}`");
    const expression = parseExpression(template, open + 1, close);
    parts.push(expression);
    variables += expression.variables.length;
    if (variables > MAX_VARIABLES) fail(template, open, `more than ${MAX_VARIABLES} variables are not allowed here`);
    position = close + 1;
  }
  return parts;
}

function parseLiteral(template: string, start: number, end: number): string {
  const literal = template.slice(start, end);
  const bad = NOT_LITERAL.exec(literal);
  if (bad !== null) {
    const hint = bad[0] === "}" ? "it closes no expression" : "write it percent-encoded";
    fail(template, start + bad.index, `${JSON.stringify(bad[0])} is not allowed outside an expression; ${hint}`);
  }
  try {
    return encodeReserved(literal);
  } catch {
    return fail(template, start, "this literal holds half of a surrogate pair");
  }
}

function parseExpression(template: string, start: number, end: number): Expression {
  const symbol = /\w|%/.test(template.charAt(start)) ? "" : template.charAt(start);
  const operator = OPERATORS[symbol];
  if (start === end) fail(template, start, "this expression is empty; name a variable");
  if (operator === undefined) {
    fail(template, start, `${JSON.stringify(symbol)} is neither an operator (one of + # . / ; ? &) nor part of a name`);
  }
  const variables: Variable[] = [];
  let position = start + symbol.length;
  for (;;) {
    VARIABLE.lastIndex = position;
    const [matched, name, prefix, star] = VARIABLE.exec(template) ?? [];
    if (matched === undefined || name === undefined) {
      fail(template, position, "expected a variable name (letters, digits, `_`, `.` between them, or %XX)");
    }
    variables.push({ name, prefix: Number(prefix ?? 0), isExploded: star !== undefined });
    position += matched.length;
    if (position === end) return { operator, variables };
    if (template[position] !== ",") {
      fail(template, position, "expected `,`, `}`, or one modifier: `*`, or `:` and a length from 1 to 9999");
    }
    position++;
  }
}

function fail(template: string, position: number, reason: string): never {
  const excerpt = template.length > 80 ? `${template.slice(0, 80)}…` : template;
  throw new UsageError("INVALID_URI_TEMPLATE", `Invalid URI template "${excerpt}", position ${position}: ${reason}.`);
}

// The two ways in which RFC 6570 encodes a value (sections 1.5 and 3.1). Both throw a URIError for half a surrogate pair.

const NOT_RESERVED = /%(?![\dA-Fa-f]{2})|[^\w\-.~:/?#[\]@!$&'()*+,;=%]+/g;

/** Encodes all but unreserved characters. */
export function encodeUnreserved(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Encodes all but unreserved characters, reserved characters and percent-encoded triplets. */
export function encodeReserved(text: string): string {
  return text.replaceAll(NOT_RESERVED, (run) => encodeURIComponent(run));
}
