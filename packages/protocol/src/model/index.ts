/**
 * The neutral model: one set of types for all revisions, in the shape of the newest. What only some revisions have
 * says so; `revisions/` turns a value of the model into what a given revision can express.
 *
 * Three rules hold throughout. Optional members accept `undefined`, so that objects can be built from optional
 * values under `exactOptionalPropertyTypes`; JSON leaves them out. Arrays are readonly, because messages are values
 * that may be cached and shared. Results need neither `resultType` nor cache hints: they are filled in on the way out.
 */
export * from "./cache.ts";
export * from "./capabilities.ts";
export * from "./completion.ts";
export * from "./content.ts";
export * from "./discovery.ts";
export * from "./elicitation.ts";
export * from "./implementation.ts";
export * from "./input-required.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export * from "./logging-level.ts";
export * from "./logging.ts";
export * from "./meta.ts";
export * from "./methods.ts";
export * from "./pagination.ts";
export * from "./progress.ts";
export * from "./prompts.ts";
export * from "./resources.ts";
export * from "./result.ts";
export * from "./roots.ts";
export * from "./sampling.ts";
export * from "./subscriptions.ts";
export * from "./tool-calls.ts";
export * from "./tokens.ts";
export * from "./tools.ts";
