import { SchemaNode } from "../schema-node.ts";

/** Makes a function of a schema that says whether a value fits. */
export type Compile = (root: SchemaNode) => (value: unknown) => boolean;

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
  const { compile } = await import("#compiler");
  // Where generating code is forbidden, only an attempt tells.
  compile(new SchemaNode());
  compiler = compile;
  return true;
}

/** The compiler, if it is loaded already. If not, it is sent for. */
export function findCompiler(): Compile | undefined {
  if (compiler === undefined) void loadCompiler();
  return compiler;
}
