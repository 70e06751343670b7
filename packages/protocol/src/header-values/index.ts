/**
 * The header fields of the 2026-07-28 HTTP binding that repeat parts of a request.
 *
 * @packageDocumentation
 */
export { readHeaderAnnotations, type HeaderAnnotation } from "./annotations.ts";
export { decodeHeaderValue, encodeHeaderValue } from "./encoding.ts";
export { checkHeaders, headersForArguments } from "./mirroring.ts";
export { NAMED_BY } from "./named-by.ts";
