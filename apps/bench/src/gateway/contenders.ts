/** Everyone who takes part: what stands between the load and an API, or between the load and another MCP server. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { pinCommand } from "../processes/pinning.ts";
import { Worker } from "../processes/worker.ts";
import type { ApiCommands } from "./api.ts";
import type { OtherGateways } from "./other-gateways.ts";
import type { LoadTarget } from "./load.ts";
import { type RunningProgram, startAnnounced, startOnPort } from "./programs.ts";
import { apiConfig, upstreamConfig } from "./workload.ts";

/** What is behind the contenders of a race. */
export type Backend = "api" | "mcp";

/** One that is measured. */
export interface Contender {
  readonly name: string;
  readonly backend: Backend;
  readonly description: string;
  /** How it is called. */
  readonly how: LoadTarget["how"];
  readonly path: string;
  /** Starts it, or the same one of another build if it is our gateway. */
  start(site: Site, build?: Build): Promise<RunningProgram>;
}

/** A build of our gateway: its program, and a name for files that are its own. */
interface Build {
  readonly name: string;
  readonly program: string;
}

/** The servers behind the contenders, and a folder for their files. */
export interface Site {
  readonly folder: string;
  readonly apiPort: number;
  readonly mcpPort: number;
  readonly others: OtherGateways | undefined;
  stop(): Promise<void>;
}

/** How the names of our own contenders begin, and what stands there for those of another checkout. */
const OURS = "toolwire";
const BEFORE = "before";

const GATEWAY = "packages/gateway/dist/main.js";
const THIS_BUILD: Build = { name: "this", program: fileURLToPath(new URL(`../../../../${GATEWAY}`, import.meta.url)) };
const UPSTREAM = fileURLToPath(new URL("mcp-upstream.js", import.meta.url));

/** The command of the MCP server over stdio. It runs where the API does: what a gateway starts would share its core. */
function upstreamCommand(): [string, ...string[]] {
  return pinCommand("load", [process.execPath, UPSTREAM, "stdio"]);
}

/** Starts what is behind the contenders. */
export async function openSite(others: OtherGateways | undefined): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-bench-gateway-"));
  const api = new Worker<ApiCommands>({ script: new URL("api.js", import.meta.url), role: "load" });
  const mcp = await startAnnounced("load", [process.execPath, UPSTREAM, "http"]);
  return {
    folder,
    apiPort: await api.ask("port", undefined),
    mcpPort: mcp.port,
    others,
    async stop() {
      await Promise.all([api.stop(), mcp.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function startGateway(
  { folder }: Site,
  name: string,
  makeConfig: (path: string) => object,
  build: Build = THIS_BUILD,
): Promise<RunningProgram> {
  const path = join(folder, `${name}-${build.name}`);
  const file = `${path}.json`;
  writeFileSync(file, JSON.stringify(makeConfig(path)));
  const options = ["--port", "0", "--no-watch"];
  return startAnnounced("measured", [process.execPath, build.program, "serve", file, ...options]);
}

/** Our gateway in front of the API. */
function ours(name: string, description: string, tools: number, store: "memory" | "pglite"): Contender {
  return {
    name,
    backend: "api",
    description,
    how: "post",
    path: "/mcp/bench",
    start: (site, build) => startGateway(site, name, (path) => apiConfig(site.apiPort, tools, store, path), build),
  };
}

/** All contenders. The first of each backend is that to which latency is added. */
export const CONTENDERS: readonly Contender[] = [
  {
    name: "direct",
    backend: "api",
    description: "the API itself, on bare sockets",
    how: "get",
    path: "",
    start: async ({ apiPort }) => ({ port: apiPort, pid: undefined, stop: async () => {} }),
  },
  {
    name: "forwarder",
    backend: "api",
    description: "bare `node:http` to undici, with `JSON.parse` and `JSON.stringify`",
    how: "post",
    path: "/",
    async start({ apiPort }) {
      const script = new URL("forwarder.js", import.meta.url);
      const worker = new Worker<ApiCommands>({ script, role: "measured", arguments: [String(apiPort)] });
      return { port: await worker.ask("port", undefined), pid: worker.pid, stop: () => worker.stop() };
    },
  },
  ours("toolwire", "our gateway, 10 tools, log in PGlite", 10, "pglite"),
  ours("toolwire-memory", "our gateway, 10 tools, log in memory", 10, "memory"),
  ours("toolwire-1000", "our gateway, 1 000 tools, log in memory", 1000, "memory"),
  {
    name: "mcp-direct",
    backend: "mcp",
    description: "the MCP server itself, over HTTP",
    how: "post",
    path: "/mcp",
    start: async ({ mcpPort }) => ({ port: mcpPort, pid: undefined, stop: async () => {} }),
  },
  {
    name: "toolwire-http",
    backend: "mcp",
    description: "our gateway in front of the MCP server over HTTP, log in memory",
    how: "post",
    path: "/mcp/bench",
    start: (site, build) => {
      const upstream = { url: `http://127.0.0.1:${site.mcpPort}/mcp` };
      return startGateway(site, "toolwire-http", (path) => upstreamConfig(upstream, path), build);
    },
  },
  {
    name: "toolwire-stdio",
    backend: "mcp",
    description: "our gateway in front of the MCP server over stdio, log in memory",
    how: "post",
    path: "/mcp/bench",
    start: (site, build) => {
      const [command, ...args] = upstreamCommand();
      return startGateway(site, "toolwire-stdio", (path) => upstreamConfig({ command, args }, path), build);
    },
  },
  {
    name: "mcp-proxy",
    backend: "mcp",
    description: "mcp-proxy of fastmcp's author, in front of the MCP server over stdio",
    how: "session",
    path: "/mcp",
    start: ({ others }) =>
      startOnPort("measured", (port) => {
        const options = ["--host", "127.0.0.1", "--port", String(port), "--server", "stream"];
        return [...program(others, "mcp-proxy"), ...options, "--", ...upstreamCommand()];
      }),
  },
  {
    name: "supergateway",
    backend: "mcp",
    description: "supergateway, in front of the MCP server over stdio",
    how: "session",
    path: "/mcp",
    start: ({ others }) =>
      startOnPort("measured", (port) => {
        const options = ["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"];
        const served = ["--stdio", upstreamCommand().join(" "), "--port", String(port)];
        return [...program(others, "supergateway"), ...served, ...options];
      }),
  },
];

function program(others: OtherGateways | undefined, name: string): string[] {
  if (others === undefined) throw new Error("other gateways could not be fetched");
  return [process.execPath, others.findProgram(name)];
}

/** Our gateways, each followed by the same one of another checkout, which must be built. */
export function withBefore(contenders: readonly Contender[], checkout: string): Contender[] {
  const build = { name: BEFORE, program: resolve(checkout, GATEWAY) };
  if (!existsSync(build.program)) throw new Error(`There is no ${build.program}. Is the checkout built?`);
  return contenders.flatMap((contender) => {
    const before = nameBefore(contender.name);
    if (before === undefined) return [contender];
    const description = `${contender.description}; as the other checkout has it`;
    return [
      contender,
      { ...contender, name: before, description, start: (site: Site) => contender.start(site, build) },
    ];
  });
}

/** The name of a contender as another checkout has it; `undefined` for those that are not ours. */
export function nameBefore(name: string): string | undefined {
  return name.startsWith(OURS) ? name.replace(OURS, BEFORE) : undefined;
}
