/**
 * The neutral model: one set of types for all revisions, in the shape of the newest. Members that only some revisions
 * have say so; `legacy/` turns a value of the model into what an older revision can express.
 *
 * Three rules hold throughout. Optional members accept `undefined`, so that objects can be built from optional
 * values under `exactOptionalPropertyTypes`; JSON leaves them out. Arrays are readonly, because messages are values
 * that may be cached and shared. Results need neither `resultType` nor cache hints: they are filled in on the way out.
 */
export * from "./basic.ts";
export * from "./content.ts";
export * from "./input.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export * from "./methods.ts";
export * from "./prompts.ts";
export * from "./resources.ts";
export * from "./tools.ts";
export * from "./utilities.ts";
