/**
 * Takes secrets out of texts, values and binary data that others have written.
 *
 * @packageDocumentation
 */
export { clearingOf, createClearing, LEFT_OUT, type Clearing } from "./clearing.ts";
export { SHORTEST_SECRET } from "./secret-index.ts";
export { SECRET_MARK, SecretSet } from "./secret-set.ts";
