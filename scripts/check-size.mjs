// Do programs stay small, and free of Node where they promise to run anywhere?

import { isBuiltin } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { listPublishedPackages, report, root } from "./workspace.mjs";

/**
 * What people write. A program counts twice, each time minified and gzipped as one file:
 *
 * - at its `start`: with everything that it has to load before it can do its work. What it imports dynamically it loads
 *   later, if at all. How bundlers cut that into files differs (Rollup makes one of the start, Rolldown and esbuild four to
 *   ten, which are a few kilobytes more), so files are not counted.
 * - as a `whole`: with everything it could ever load, as a bundler leaves it that does not split.
 *
 * The validator of plain JSON Schema counts for neither: whoever describes tools by a library has no use for it.
 *
 * Limits are in kilobytes (1000 bytes). They say where we stand, so that growth is a decision. Where we want to be is 12 for
 * the protocol and 20 for server and client, each as a whole.
 *
 * @type {{ title: string, source: string, start: number, whole: number }[]}
 */
const programs = [
  {
    title: "protocol: messages, contracts, all revisions and the engine",
    source: `
      export * from "@toolwire/protocol";
      export * from "@toolwire/protocol/engine";
      export * from "@toolwire/protocol/revisions";`,
    start: 12,
    whole: 12,
  },
  {
    title: "protocol: all of it",
    source: `
      export * from "@toolwire/protocol";
      export * from "@toolwire/protocol/channels";
      export * from "@toolwire/protocol/engine";
      export * from "@toolwire/protocol/framing";
      export * from "@toolwire/protocol/header-values";
      export * from "@toolwire/protocol/revisions";
      export * from "@toolwire/protocol/schema";
      export * from "@toolwire/protocol/uri-template";`,
    start: 23.6,
    whole: 23.6,
  },
  {
    title: "server with tools over HTTP",
    source: `
      import { createServer, tool } from "@toolwire/server";
      import { createHttpHandler } from "@toolwire/server/http";
      const greet = tool({ input: { type: "object" }, run: () => "Hello" });
      export const { fetch } = createHttpHandler(createServer({ name: "greeter", version: "1.0.0", tools: { greet } }));`,
    start: 20,
    whole: 44.5,
  },
  {
    title: "client over HTTP",
    source: `
      import { connect } from "@toolwire/client";
      const client = await connect("https://example.com/mcp");
      console.log(await client.callTool("greet"));`,
    start: 20,
    whole: 42,
  },
  {
    title: "client over WebSocket",
    // The second line and the third are what the first loads by itself, as soon as it sees such an address.
    source: `
      import { connect } from "@toolwire/client";
      export { createWebSocketChannel } from "@toolwire/client/websocket";
      export { Multiplexer } from "@toolwire/protocol/engine";
      const client = await connect("wss://example.com/mcp");
      console.log(await client.callTool("greet"));`,
    start: 23.8,
    whole: 42,
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

/**
 * Leaves out the validator of plain JSON Schema.
 *
 * @type {import("esbuild").Plugin}
 */
const withoutValidator = {
  name: "without the validator",
  setup(bundler) {
    const filter = /^@toolwire\/protocol\/json-schema/;
    bundler.onResolve({ filter }, ({ path }) => ({ path, external: true }));
  },
};

for (const { title, source, start, whole } of programs) {
  check(title, "at the start", await measure(source, [withoutLaterParts]), start);
  check(title, "as a whole", await measure(source, []), whole);
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
  if (Object.keys(metafile.inputs).some((file) => file.includes("/ajv/"))) {
    problems.push(`${specifier} brings ajv along, which browsers and workers have no use for`);
  }
}

report(
  problems,
  `${programs.length} programs are within their limits, ${portable.length} entry points free of Node imports and of ajv`,
);

/**
 * @param {string} title
 * @param {string} how
 * @param {number} size
 * @param {number} limit
 */
function check(title, how, size, limit) {
  console.log(`${size.toFixed(1).padStart(6)} of ${limit.toFixed(1).padStart(4)} KB  ${title}, ${how}`);
  if (size > limit) problems.push(`${title}, ${how}: ${size.toFixed(1)} KB, the limit is ${limit} KB`);
}

/**
 * Kilobytes of a program without the validator, minified and gzipped.
 *
 * @param {string} source
 * @param {import("esbuild").Plugin[]} plugins
 */
async function measure(source, plugins) {
  const { outputFiles } = await bundle(source, [...plugins, withoutValidator]);
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length / 1000;
}

/**
 * Bundles as for a browser or a worker.
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
    external: ["node:*"],
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
