/** Selections of parts of a JSON response by JMESPath expressions, which the author of a tool writes. */
import * as jmespath from "jmespath";
import { UsageError } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";

/** The longest expression. */
const MAX_LENGTH = 1000;
/** How often one value may be repeated in a result: `[@,@]` doubles it, and ten of them in a row make a thousand of it. */
const MAX_GROWTH = 1000;

/** Exported by the library, but missing from its types. */
const { compile } = jmespath as typeof jmespath & { readonly compile: (expression: string) => unknown };

/** Selects from a value that has no prototypes; see `readJson`. */
export type Select = (value: unknown) => unknown;

/**
 * Reads an expression.
 *
 * @throws UsageError if it is not valid, too long, or would multiply what it selects
 */
export function compileSelect(expression: string): Select {
  if (typeof expression !== "string" || expression.length > MAX_LENGTH) {
    throw invalid(`must be a JMESPath expression of at most ${MAX_LENGTH} characters`);
  }
  let tree: unknown;
  try {
    tree = compile(expression);
  } catch (cause) {
    throw invalid(`is no JMESPath expression: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  if (growthOf(tree) > MAX_GROWTH) throw invalid("would repeat the same value too often");
  return (value) => jmespath.search(value, expression) as unknown;
}

function invalid(problem: string, cause?: unknown): UsageError {
  return new UsageError("INVALID_DEFINITION", `\`response.select\` ${problem}.`, { cause });
}

/** How many times as large as its input the result of an expression can be, and with it the work. */
function growthOf(node: unknown): number {
  if (!isObject(node)) return 1;
  const { type, children, value } = node;
  if (type === "KeyValuePair") return growthOf(value);
  const parts = Array.isArray(children) ? children.map(growthOf) : [];
  const isSum = type === "MultiSelectList" || type === "MultiSelectHash" || type === "Function";
  const sum = parts.reduce((total, part) => total + part, 0);
  const product = parts.reduce((total, part) => total * part, 1);
  return Math.max(1, isSum && !hasReference(children) ? sum : product);
}

/** Whether a function applies an expression to every item, as `map(&expression, list)` does. */
function hasReference(children: unknown): boolean {
  return (
    Array.isArray(children) && children.some((child) => isObject(child) && child["type"] === "ExpressionReference")
  );
}
