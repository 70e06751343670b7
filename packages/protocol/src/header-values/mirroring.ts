/** Arguments of a tool call in headers (2026-07-28, Streamable HTTP): the client writes them, the server compares. */

import type { HeaderAnnotation } from "./annotations.ts";
import { decodeHeaderValue, encodeHeaderValue } from "./encoding.ts";
import { UsageError } from "../errors.ts";
import { quote } from "./quote.ts";

/** The arguments of a tool call. */
type Arguments = Readonly<Record<string, unknown>> | undefined;

/**
 * The headers to send along with a tool call. An argument that is null or absent has none. Throws a `UsageError` for
 * a value that cannot be in a header, which the tool's schema does not allow either.
 */
export function headersForArguments(annotations: readonly HeaderAnnotation[], args: Arguments): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const annotation of annotations) {
    const value = valueAt(args, annotation.path);
    if (value === undefined) continue;
    if (!isScalar(value)) {
      throw new UsageError(
        "INVALID_ARGUMENT",
        `The argument "${annotation.path.join(".")}" must be of type ${annotation.type}, because it is also sent as a header.`,
      );
    }
    headers[headerName(annotation)] = encodeHeaderValue(value);
  }
  return headers;
}

/**
 * What is wrong with the headers of a tool call, for the message of a `HeaderMismatch` error; undefined if nothing is.
 * `getHeader` must look names up without regard to case, as `Headers.get` does.
 */
export function checkHeaders(
  annotations: readonly HeaderAnnotation[],
  args: Arguments,
  getHeader: (name: string) => string | undefined,
): string | undefined {
  for (const annotation of annotations) {
    const value = valueAt(args, annotation.path);
    const header = getHeader(headerName(annotation));
    const problem = header === undefined ? missing(value) : mismatch(value, header);
    if (problem !== undefined) {
      return `Header mismatch: ${headerName(annotation)} ${problem} of the argument "${annotation.path.join(".")}".`;
    }
  }
  return undefined;
}

function missing(value: unknown): string | undefined {
  // A list or object has no header to send; the validation of arguments explains that better than a header error.
  return isScalar(value) ? `is missing; it must repeat the value ${quote(value)}` : undefined;
}

function mismatch(value: unknown, header: string): string | undefined {
  const text = decodeHeaderValue(header);
  if (text === undefined) {
    return `has the malformed value ${quote(header)}; it must be plain ASCII or =?base64?...?= to repeat the value`;
  }
  if (value === undefined) return `is ${quote(text)}, which contradicts the absence`;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return "cannot repeat the value, an unsafe integer,";
  return isScalar(value) && isSame(value, text) ? undefined : `is ${quote(text)}, not the value ${quote(value)}`;
}

function isSame(value: string | number | boolean, text: string): boolean {
  if (String(value) === text) return true;
  // Numerically, as the specification asks; but `Number` alone would take "", "0x2A" and much else for a number.
  return typeof value === "number" && /^-?\d+(?:\.0+)?$/.test(text) && Number(text) === value;
}

/** The argument at a path, where null counts as absent. */
function valueAt(args: Arguments, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const name of path) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }
  return value ?? undefined;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function headerName(annotation: HeaderAnnotation): string {
  return `Mcp-Param-${annotation.header}`;
}
