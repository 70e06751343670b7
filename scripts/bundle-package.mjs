// Writes what Node runs of the package in the current folder: the files that its `node` conditions lead to, and chunks
// that they share.
//
// A server over stdio is started anew for every session, and Node needs longer to find two hundred small files than to
// run them. So entry points that are nearly always needed together share one file, which exports what all of them
// export. Bundlers and browsers get the modules one by one, as the compiler wrote them: they leave out and split off
// what they like.

import { readFile, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { build } from "esbuild";

const FOLDER = "./dist/bundled/";

const { exports = {}, imports = {}, dependencies = {} } = JSON.parse(await readFile("package.json", "utf8"));

/** The modules that each file is made of. @type {Map<string, string[]>} */
const modules = new Map();
for (const conditions of [...Object.values(exports), ...Object.values(imports)]) {
  const { "@toolwire/source": source } = conditions;
  // Bun takes what Node takes, but for a few modules that have a condition of their own.
  for (const runtime of ["node", "bun"].filter((name) => name === "node" || name in conditions)) {
    const file = conditions[runtime];
    if (!file?.startsWith(FOLDER)) {
      throw new Error(`The \`${runtime}\` condition of ${source} does not lead to ${FOLDER}.`);
    }
    const own = modules.get(file) ?? [];
    modules.set(file, [...own, resolve(typeof source === "string" ? source : source[runtime])]);
  }
}

const [main] = modules.keys();

/** Specifiers of our own packages that lead Node to the same file as a shorter one: each costs time to resolve. */
const synonyms = new Map();
for (const name of Object.keys(dependencies).filter((dependency) => dependency.startsWith("@toolwire/"))) {
  const { exports: theirs } = JSON.parse(await readFile(`node_modules/${name}/package.json`, "utf8"));
  for (const [subpath, { node }] of Object.entries(theirs)) {
    if (node === theirs["."].node) synonyms.set(name + subpath.slice(1), name);
  }
}

await rm(FOLDER, { recursive: true, force: true });
await build({
  entryPoints: [...modules.keys()].map((file) => ({ in: `part:${file}`, out: file.replace(/\.js$/, "") })),
  outdir: ".",
  chunkNames: `${FOLDER}chunks/[name]-[hash]`,
  bundle: true,
  splitting: true,
  format: "esm",
  // Other packages stay imports, and so does what this package resolves by condition.
  packages: "external",
  external: ["#*"],
  platform: "neutral",
  target: "es2022",
  sourcemap: true,
  sourcesContent: false,
  logLevel: "warning",
  plugins: [
    {
      name: "few files",
      setup(bundler) {
        bundler.onResolve({ filter: /^@toolwire\// }, ({ path }) => ({
          path: synonyms.get(path) ?? path,
          external: true,
        }));
        bundler.onResolve({ filter: /^part:/ }, ({ path }) => ({ path: path.slice(5), namespace: "part" }));
        bundler.onResolve({ filter: /^[./]/ }, ({ kind, path, resolveDir }) => {
          const module = resolve(resolveDir, path);
          // Not asking whether it is needed keeps all of the first file together.
          if (kind !== "dynamic-import") return { path: module, sideEffects: true };
          modules.set(module, [module]);
          return { path: module, namespace: "part" };
        });
        // What is loaded later, or by another entry point, finds the first file loaded already. Saying so keeps what
        // they share in one chunk instead of one for every combination.
        bundler.onLoad({ filter: /./, namespace: "part" }, ({ path }) => ({
          contents: [
            ...(path === main ? [] : [`import "part:${main}";`]),
            ...(modules.get(path) ?? []).map((module) => `export * from ${JSON.stringify(module)};`),
          ].join("\n"),
          resolveDir: ".",
        }));
      },
    },
  ],
});
