/**
 * What HTTP has beyond modern requests that are in order: legacy clients, and refusals. Loaded with the first of either. Like
 * its neighbours, it is there for bundlers: they make a file of every part that is loaded in its own way, and more files of
 * what several parts share, so there are few of them.
 */
export { LegacyEndpoint } from "../http/legacy/legacy-endpoint.ts";
export * from "../http/refusals.ts";
