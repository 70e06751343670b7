/** What most tools never need, and the methods beyond those of tools: loaded with the first request that does. */
export { settleOutput } from "../methods/doubtful-output.ts";
export { furtherMethods } from "../methods/further-methods.ts";
export { expectRepeated } from "../methods/repeated-arguments.ts";
