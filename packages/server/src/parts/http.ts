/**
 * What HTTP has beyond modern requests that are in order: legacy clients, and refusals. Loaded with the first of either. There
 * are few such parts, because bundlers make a file of every one, and more files of what several share.
 */
export { LegacyEndpoint } from "../legacy/http/endpoint.ts";
export * from "../bindings/http/errors.ts";
