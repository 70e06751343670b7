// Do programs stay small, and free of Node where they promise to run anywhere?

import { isBuiltin } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { listPublishedPackages, report, root } from "./workspace.mjs";

/**
 * Programs as people write them, each bundled as one file with everything it could ever load, minified and gzipped.
 *
 * The validator of plain JSON Schema does not count: a program that describes its tools with a schema library does not use it.
 *
 * Limits are in kilobytes (1000 bytes), a little above what the programs measured when the limits were set. A change that needs
 * more raises the limit here, and its commit says what the bytes are for.
 *
 * @type {{ title: string, source: string, limit: number }[]}
 */
const programs = [
  {
    title: "protocol: messages, contracts, all revisions and the engine",
    source: `
      export * from "@toolwire/protocol";
      export * from "@toolwire/protocol/internal";`,
    limit: 13,
  },
  {
    title: "protocol: all of it",
    source: `
      export * from "@toolwire/protocol";
      export * from "@toolwire/protocol/channels";
      export * from "@toolwire/protocol/internal";
      export * from "@toolwire/protocol/framing";
      export * from "@toolwire/protocol/schema";
      export * from "@toolwire/protocol/uri-template";`,
    limit: 26.4,
  },
  {
    title: "server with tools over HTTP",
    source: `
      import { createServer, tool } from "@toolwire/server";
      import { createHttpHandler } from "@toolwire/server/http";
      const greet = tool({ input: { type: "object" }, run: () => "Hello" });
      export const { fetch } = createHttpHandler(createServer({ name: "greeter", version: "1.0.0", tools: { greet } }));`,
    limit: 54.5,
  },
  {
    title: "client over HTTP",
    source: `
      import { connect } from "@toolwire/client";
      const client = await connect("https://example.com/mcp");
      console.log(await client.callTool("greet"));`,
    limit: 47.5,
  },
  {
    title: "client over WebSocket",
    // The second line and the third are what the first loads by itself, as soon as it sees such an address.
    source: `
      import { connect } from "@toolwire/client";
      export { createWebSocketChannel } from "@toolwire/client/websocket";
      export { Multiplexer } from "@toolwire/protocol/internal";
      const client = await connect("wss://example.com/mcp");
      console.log(await client.callTool("greet"));`,
    limit: 47.5,
  },
];

/** Entry points that need Node, and say so. */
const forNode = [
  "@toolwire/server/stdio",
  "@toolwire/server/node",
  "@toolwire/server/websocket",
  "@toolwire/client/stdio",
];

/** @type {string[]} */
const problems = [];

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

for (const { title, source, limit } of programs) {
  const size = await measure(source);
  console.log(`${size.toFixed(1).padStart(6)} of ${limit.toFixed(1).padStart(4)} KB  ${title}`);
  if (size > limit) {
    problems.push(
      `${title}: ${size.toFixed(2)} KB, the limit is ${limit} KB. Make it smaller, or raise the limit in scripts/check-size.mjs and say why in the commit.`,
    );
  }
}

const portable = listPublishedPackages()
  .flatMap(({ entryPoints }) => entryPoints.map(({ specifier }) => specifier))
  .filter((specifier) => !forNode.includes(specifier));
for (const specifier of portable) {
  const { metafile } = await bundle(`export * from "${specifier}";`);
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
 * Kilobytes of a program without the validator, minified and gzipped.
 *
 * @param {string} source
 */
async function measure(source) {
  const { outputFiles } = await bundle(source, [withoutValidator]);
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length / 1000;
}

/**
 * Bundles as for a browser or a worker.
 *
 * @param {string} source
 * @param {import("esbuild").Plugin[]} plugins
 */
function bundle(source, plugins = []) {
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
