import { SchemaNode } from "../schema-node.ts";

type Compile = (root: SchemaNode) => (value: unknown) => boolean;

let compiler: Compile | undefined;
let loading: Promise<boolean> | undefined;

/**
 * Loads ajv ahead of time, and says whether it can be used. Without this, it is loaded in the background when the first
 * schema has proved busy: loading takes longer than thousands of checks without it.
 */
export function loadCompiler(): Promise<boolean> {
  loading ??= load().catch(() => false);
  return loading;
}

async function load(): Promise<boolean> {
  const { compileWithAjv } = await import("./ajv.ts");
  // Where generating code is forbidden, only an attempt tells.
  compileWithAjv(new SchemaNode());
  compiler = compileWithAjv;
  return true;
}

/** The compiler, if it is loaded already. If not, it is sent for. */
export function findCompiler(): Compile | undefined {
  if (compiler === undefined) void loadCompiler();
  return compiler;
}
