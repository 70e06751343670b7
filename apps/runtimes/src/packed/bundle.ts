import { build } from "esbuild";

/** Puts a worker and everything it imports into one file, as tools for workers do. */
export async function bundleWorker(program: string, file: string): Promise<void> {
  await build({
    entryPoints: [program],
    outfile: file,
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*"],
    logLevel: "warning",
  });
}

/** Puts a page's program into files that are loaded when they are needed, as tools for web sites do. */
export async function bundlePage(program: string, directory: string): Promise<void> {
  await build({
    entryPoints: [program],
    outdir: directory,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    minify: true,
    logLevel: "warning",
  });
}
