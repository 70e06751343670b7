/** The size of a bundle of a server, or of a client, over HTTP. */
import { builtinModules } from "node:module";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** One row of the table of bundles, in bytes. */
export interface BundleSize {
  readonly name: string;
  readonly minified: number;
  readonly gzipped: number;
  /** The most we allow ourselves, gzipped. */
  readonly limit?: number;
}

interface Entry {
  readonly name: string;
  readonly source: string;
  readonly limit?: number;
}

const SERVERS: readonly Entry[] = [
  {
    name: "toolwire",
    source: `export { createServer, tool } from "@toolwire/server"; export { createHttpHandler } from "@toolwire/server/http";`,
    limit: 48_400,
  },
  { name: "v2", source: `export { McpServer, createMcpHandler } from "@modelcontextprotocol/server";` },
  {
    name: "v1",
    source: `export { McpServer } from "sdk-v1/server/mcp.js";
      export { WebStandardStreamableHTTPServerTransport } from "sdk-v1/server/webStandardStreamableHttp.js";`,
  },
  { name: "mcp-lite", source: `export { McpServer, StreamableHttpTransport } from "mcp-lite";` },
  {
    name: "tmcp",
    source: `export { McpServer } from "tmcp"; export { HttpTransport } from "@tmcp/transport-http";`,
  },
];

const CLIENTS: readonly Entry[] = [
  {
    name: "toolwire",
    source: `export { connect } from "@toolwire/client";`,
    limit: 46_200,
  },
  { name: "v2", source: `export { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";` },
  {
    name: "v1",
    source: `export { Client } from "sdk-v1/client/index.js";
      export { StreamableHTTPClientTransport } from "sdk-v1/client/streamableHttp.js";`,
  },
];

/** Bundles every server, for workers: those who count bytes serve there. */
export function measureServerBundles(): Promise<BundleSize[]> {
  return Promise.all(SERVERS.map((entry) => measureBundle(entry, ["workerd", "worker", "module"])));
}

/** Bundles every client, for browsers. */
export function measureClientBundles(): Promise<BundleSize[]> {
  return Promise.all(CLIENTS.map((entry) => measureBundle(entry, ["module"])));
}

async function measureBundle({ name, source, limit }: Entry, conditions: string[]): Promise<BundleSize> {
  const code = await bundle(source, conditions);
  return {
    name,
    minified: code.length,
    gzipped: gzipSync(code, { level: 9 }).length,
    ...(limit !== undefined && { limit }),
  };
}

async function bundle(contents: string, conditions: string[]): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions,
    external: ["node:*", ...builtinModules],
    logLevel: "silent",
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}
