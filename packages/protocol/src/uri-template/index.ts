/**
 * URI templates (RFC 6570, all four levels), expanded and matched.
 *
 * @packageDocumentation
 */
export type { UriTemplateScalar, UriTemplateValue } from "./expand.ts";
export type { UriTemplateMatchValue } from "./match.ts";
export { parseUriTemplate, type UriTemplate } from "./uri-template.ts";
