/** What serves clients of the legacy era, and asks those of either: loaded with the first of them, or the first question. */
export * from "../input/asking.ts";
export { legacyEra } from "../legacy/serve-legacy.ts";
