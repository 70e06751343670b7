// Do programs stay small, and free of Node where they promise to run anywhere?

import { isBuiltin } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { listPublishedPackages, report, root } from "./workspace.mjs";

/**
 * Programs as people write them, each bundled as one file with everything it could ever load, minified and gzipped.
 *
 * The validator of JSON Schema counts, because servers and clients always have it. ajv does not: only `@toolwire/json-schema/ajv`
 * brings it along.
 *
 * Limits are in kilobytes (1000 bytes), a little above what the programs measured when the limits were set. A change that needs
 * more raises the limit here, and its commit says what the bytes are for.
 *
 * @type {{ title: string, source: string, limit: number }[]}
 */
const programs = [
  {
    title: "protocol: all of it",
    source: `
      export * from "@toolwire/protocol/internal";`,
    limit: 34,
  },
  {
    title: "server with tools over HTTP",
    source: `
      import { createServer, tool } from "@toolwire/server";
      import { createHttpHandler } from "@toolwire/server/http";
      const greet = tool({ input: { type: "object" }, run: () => "Hello" });
      export const { fetch } = createHttpHandler(createServer({ name: "greeter", version: "1.0.0", tools: { greet } }));`,
    limit: 96.5,
  },
  {
    title: "server with tools and access tokens over HTTP",
    source: `
      import { createServer, tool } from "@toolwire/server";
      import { jwt, protect } from "@toolwire/server/auth";
      import { createHttpHandler } from "@toolwire/server/http";
      const greet = tool({ input: { type: "object" }, run: () => "Hello" });
      const auth = protect({ resource: "https://example.com/mcp", verify: jwt({ issuer: "https://auth.example.com" }) });
      const server = createServer({ name: "greeter", version: "1.0.0", tools: { greet } });
      export const { fetch } = createHttpHandler(server, { auth });`,
    limit: 114,
  },
  {
    title: "client over HTTP and WebSocket",
    source: `
      import { connect } from "@toolwire/client";
      const client = await connect("https://example.com/mcp");
      console.log(await client.callTool("greet"));`,
    limit: 74.8,
  },
  {
    title: "server with the tools of an OpenAPI document",
    source: `
      import { toolsFromOpenApi } from "@toolwire/openapi";
      import { createServer } from "@toolwire/server";
      import { createHttpHandler } from "@toolwire/server/http";
      const { tools } = toolsFromOpenApi({ openapi: "3.1.0" }, { baseUrl: "https://api.example.com" });
      export const { fetch } = createHttpHandler(createServer({ name: "api", version: "1.0.0", tools }));`,
    limit: 198,
  },
];

/** Entry points that need Node, and say so. */
const forNode = [
  "@toolwire/server/stdio",
  "@toolwire/server/express",
  "@toolwire/server/fastify",
  "@toolwire/server/websocket",
  "@toolwire/server/workers",
  "@toolwire/server/skills-folder",
  "@toolwire/server/tasks-files",
  "@toolwire/server/views/node",
  "@toolwire/client/auth/node",
  "@toolwire/client/stdio",
  "@toolwire/otel/prometheus",
  "@toolwire/postgres",
  "@toolwire/postgres/tasks",
  "@toolwire/redis",
  "@toolwire/redis/tasks",
  "@toolwire/views/vite",
  "@toolwire/relay",
  "@toolwire/gateway",
];

/** @type {string[]} */
const problems = [];

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
  const bringsAjv = Object.keys(metafile.inputs).some((file) => file.includes("node_modules/ajv/"));
  if (bringsAjv && specifier !== "@toolwire/json-schema/ajv") {
    problems.push(`${specifier} brings ajv along, which browsers and workers have no use for`);
  }
  const bringsJose = Object.keys(metafile.inputs).some((file) => file.includes("node_modules/jose/"));
  if (bringsJose && specifier !== "@toolwire/server/auth") {
    problems.push(`${specifier} brings jose along, which only servers that verify tokens have a use for`);
  }
}

report(
  problems,
  `${programs.length} programs are within their limits, ${portable.length} entry points free of Node imports and of ajv`,
);

/**
 * Kilobytes of a program, minified and gzipped.
 *
 * @param {string} source
 */
async function measure(source) {
  const { outputFiles } = await bundle(source);
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length / 1000;
}

/**
 * Bundles as for a browser or a worker.
 *
 * @param {string} source
 */
function bundle(source) {
  return build({
    stdin: { contents: source, resolveDir: join(root, "test") },
    absWorkingDir: root,
    bundle: true,
    conditions: ["@toolwire/source", "browser"],
    external: ["node:*"],
    format: "esm",
    logLevel: "error",
    // As bundlers for browsers do, for dependencies without `exports`.
    mainFields: ["browser", "module", "main"],
    metafile: true,
    minify: true,
    platform: "neutral",
    target: "es2022",
    write: false,
  });
}
