/**
 * Parts that the other Toolwire packages share and applications do not need. Not covered by semantic versioning: any release
 * may change it.
 *
 * @packageDocumentation
 */

// Everything that is public, so that our packages load a single file of this one.
export * from "./index.ts";

export { brandError, isBrandedInstance } from "./brand.ts";
export { findNearestName } from "./issues/words.ts";
export { refuseObjectOfSchemas } from "./libraries/describe-schema.ts";
export { followPointer } from "./read/references.ts";
export { subschemasOf, type Subschema } from "./read/subschemas.ts";
