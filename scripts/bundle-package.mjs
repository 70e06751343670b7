// Bundles the package in the current folder: one file for each entry point, and chunks that they share. All conditions
// lead to the same file, so that an entry point exports the same names to Node, to bundlers and to browsers.
//
// Single modules would work as well, but a server over stdio is started for every session, and Node needs longer to find
// two hundred small files than to run them.

import { readFile, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build } from "esbuild";

const OUTPUT = "dist";
const SOURCE = "@toolwire/source";

const { exports = {}, imports = {} } = JSON.parse(await readFile("package.json", "utf8"));

/** The source of each file that a condition leads to. @type {Map<string, string>} */
const sources = new Map();
for (const { [SOURCE]: source, types: _, ...conditions } of [...Object.values(exports), ...Object.values(imports)]) {
  for (const [condition, file] of Object.entries(conditions)) {
    // Modules of `imports` differ by platform, and so do their sources.
    sources.set(file, typeof source === "string" ? source : source[condition]);
  }
}

/** The entry points that nearly every program loads, and that run on every platform. One that differs by platform is none. */
const core = [".", "./internal", "./channel"]
  .map((subpath) => exports[subpath]?.[SOURCE])
  .filter((source) => typeof source === "string");

/** Entry points of which the entry point `/internal` of their package exports everything as well. */
const COVERED_BY_INTERNAL = /^(@toolwire\/(?:protocol|json-schema))(?:\/(?:channels|framing|uri-template))?$/;

// Chunks have names of their own in every build. Declarations are the compiler's, and stay.
for (const entry of await readdir(OUTPUT, { recursive: true, withFileTypes: true })) {
  if (entry.isFile() && /\.js(?:\.map)?$/.test(entry.name)) await rm(join(entry.parentPath, entry.name));
}

await build({
  entryPoints: [...sources].map(([file, source]) => ({ in: `entry:${source}`, out: file.replace(/\.js$/, "") })),
  outdir: ".",
  chunkNames: `${OUTPUT}/chunks/[name]-[hash]`,
  bundle: true,
  splitting: true,
  format: "esm",
  // Other packages stay imports, and so do modules that this package resolves by condition.
  packages: "external",
  external: ["#*"],
  platform: "neutral",
  target: "es2022",
  sourcemap: true,
  sourcesContent: false,
  logLevel: "warning",
  plugins: [
    {
      // esbuild makes a chunk for every combination of entry points that share modules. If all of them import the core,
      // its modules are shared by all, and one chunk holds them.
      name: "few files",
      setup(bundler) {
        // Each entry point of another package is one more file to find.
        bundler.onResolve({ filter: COVERED_BY_INTERNAL }, ({ path }) => ({
          path: path.replace(COVERED_BY_INTERNAL, "$1/internal"),
          external: true,
        }));
        bundler.onResolve({ filter: /^entry:/ }, ({ path }) => ({
          path: path.slice("entry:".length),
          namespace: "entry",
        }));
        bundler.onLoad({ filter: /./, namespace: "entry" }, ({ path }) => ({
          contents: [
            ...core.map((source) => `import ${JSON.stringify(source)};`),
            `export * from ${JSON.stringify(path)};`,
          ].join("\n"),
          resolveDir: process.cwd(),
        }));
        bundler.onResolve({ filter: /^\.\.?\// }, ({ kind, namespace, path, resolveDir }) => {
          const module = resolve(resolveDir, path);
          // A module that is loaded later finds the core loaded, like an entry point.
          if (kind === "dynamic-import") return { path: module, namespace: "entry" };
          // The manifest says that modules have no side effects: esbuild would leave out an import of no names.
          return namespace === "entry" ? { path: module, sideEffects: true } : undefined;
        });
      },
    },
  ],
});
