import { Worker, type WorkerOptions } from "node:worker_threads";

/**
 * Starts a program of this package in a thread of its own: the compiled one; or, when the package runs from its sources, the
 * source, with the loader that the tests use. `from` is the `import.meta.url` of the file beside which the program is.
 */
export function startThread(name: string, from: string, options: WorkerOptions): Worker {
  if (!from.endsWith(".ts")) return new Worker(new URL(`${name}.js`, from), options);
  const loader = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const source = JSON.stringify(new URL(`${name}.ts`, from).href);
  const program = `import { register } from ${loader}; register(); await import(${source});`;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
    ...options,
    execArgv: ["--conditions=@toolwire/source"],
  });
}
