// Writes the JavaScript of the package in the current folder: one file per entry point, and chunks that they share.
//
// A server over stdio is started anew for every session, and Node needs longer to find two hundred small files than to
// run them. The compiler writes the declarations; this writes what runs.

import { readFile, rm } from "node:fs/promises";
import { build } from "esbuild";

const { exports = {}, imports = {} } = JSON.parse(await readFile("package.json", "utf8"));

await rm("dist/chunks", { recursive: true, force: true });
await build({
  entryPoints: [...new Set(targetsOf([exports, imports]))].map((target) =>
    target.replace("./dist/", "src/").replace(/\.js$/, ".ts"),
  ),
  outbase: "src",
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
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
});

/**
 * Every file that `exports` and `imports` lead to.
 *
 * @param {unknown} node
 * @returns {string[]}
 */
function targetsOf(node) {
  if (typeof node === "string") return node.startsWith("./dist/") && node.endsWith(".js") ? [node] : [];
  return typeof node === "object" && node !== null ? Object.values(node).flatMap(targetsOf) : [];
}
