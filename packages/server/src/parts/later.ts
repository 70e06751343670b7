/**
 * What most servers with tools never need: the methods beyond those of tools, questions, legacy clients. Loaded with the first
 * request that does.
 */
export * from "../input/asking.ts";
export { legacyEra } from "../legacy/serve-legacy.ts";
export { settleOutput } from "../methods/tools.ts";
export { furtherMethods } from "../methods/further-methods.ts";
export { expectRepeated } from "../methods/tools.ts";
