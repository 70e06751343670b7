// Do programs stay small, and free of Node where they promise to run anywhere?

import { isBuiltin } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { listPublishedPackages, report, root } from "./workspace.mjs";

/**
 * What people write. A program counts with everything it has to load before it can do its work, minified and gzipped as
 * one file; what it imports dynamically, and so loads later if at all, is counted apart and has no limit. How bundlers
 * cut that into files differs (esbuild keeps what a dynamic import shares with an index file with the start), so files
 * are not counted.
 *
 * `limit` is in kilobytes (1000 bytes).
 *
 * @type {{ title: string, source: string, limit: number }[]}
 */
const programs = [
  {
    title: "protocol: messages, contracts, all revisions and the engine",
    source: `
      export * from "@toolwire/protocol";
      export * from "@toolwire/protocol/engine";
      export * from "@toolwire/protocol/revisions";`,
    limit: 12,
  },
  {
    title: "server with tools over HTTP",
    source: `
      import { createServer, tool } from "@toolwire/server";
      import { createHttpHandler } from "@toolwire/server/http";
      const greet = tool({ input: { type: "object" }, run: () => "Hello" });
      export const { fetch } = createHttpHandler(createServer({ name: "greeter", version: "1.0.0", tools: { greet } }));`,
    limit: 20,
  },
  {
    title: "client over HTTP",
    // The second line is what the first loads by itself, as soon as it sees such an address.
    source: `
      import { connect } from "@toolwire/client";
      export { createHttpTransport } from "@toolwire/client/http";
      const client = await connect("https://example.com/mcp");
      console.log(await client.callTool("greet"));`,
    limit: 20,
  },
  {
    title: "client over WebSocket",
    // So are the second line and the third here.
    source: `
      import { connect } from "@toolwire/client";
      export { createWebSocketChannel } from "@toolwire/client/websocket";
      export { Multiplexer } from "@toolwire/protocol/engine";
      const client = await connect("wss://example.com/mcp");
      console.log(await client.callTool("greet"));`,
    limit: 20,
  },
];

/** Entry points that need Node, and say so. */
const forNode = [
  "@toolwire/server/stdio",
  "@toolwire/server/node",
  "@toolwire/server/websocket",
  "@toolwire/client/stdio",
  "@toolwire/client/node",
];

/** @type {string[]} */
const problems = [];

/**
 * Leaves out what is imported dynamically.
 *
 * @type {import("esbuild").Plugin}
 */
const withoutLaterParts = {
  name: "without later parts",
  setup(bundler) {
    bundler.onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    );
  },
};

for (const { title, source, limit } of programs) {
  const start = await measure(source, [withoutLaterParts]);
  const later = (await measure(source, [])) - start;
  console.log(
    `${show(start)} of ${limit} KB  ${title}${later > 0.05 ? ` (later, up to ${show(later).trim()} KB more)` : ""}`,
  );
  if (start > limit) problems.push(`${title}: ${show(start).trim()} KB at the start, the limit is ${limit} KB`);
}

const portable = listPublishedPackages()
  .flatMap(({ entryPoints }) => entryPoints.map(({ specifier }) => specifier))
  .filter((specifier) => !forNode.includes(specifier));
for (const specifier of portable) {
  const { metafile } = await bundle(`export * from "${specifier}";`, []);
  for (const [file, { imports }] of Object.entries(metafile.inputs)) {
    for (const { path } of imports.filter((imported) => isBuiltin(imported.path))) {
      problems.push(`${specifier}: ${file} imports ${path}, which browsers and workers do not have`);
    }
  }
}

report(
  problems,
  `${programs.length} programs are within their limits, ${portable.length} entry points free of Node imports`,
);

/**
 * Kilobytes of a program, minified and gzipped.
 *
 * @param {string} source
 * @param {import("esbuild").Plugin[]} plugins
 */
async function measure(source, plugins) {
  const { outputFiles } = await bundle(source, plugins);
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length / 1000;
}

/**
 * Bundles as for a browser or a worker. ajv is left out: it is loaded last, and only where code may be generated.
 *
 * @param {string} source
 * @param {import("esbuild").Plugin[]} plugins
 */
function bundle(source, plugins) {
  return build({
    stdin: { contents: source, resolveDir: join(root, "test") },
    absWorkingDir: root,
    bundle: true,
    conditions: ["@toolwire/source", "browser"],
    external: ["ajv", "node:*"],
    format: "esm",
    logLevel: "error",
    metafile: true,
    minify: true,
    platform: "neutral",
    plugins,
    target: "es2022",
    write: false,
  });
}

/** @param {number} kilobytes */
function show(kilobytes) {
  return kilobytes.toFixed(1).padStart(6);
}
