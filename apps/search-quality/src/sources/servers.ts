/** Tools that published servers list. They are fetched from npm, started over stdio, asked for their lists, and stopped. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { connect, type Tool } from "@toolwire/client";
import { fetchLocked, type FetchedPackages } from "@toolwire/evidence";
import type { Source } from "./source.ts";

interface Server {
  readonly title: string;
  readonly package: string;
  readonly args?: readonly string[];
  /** Environment variables without which the server does not start. Any value will do, because no tool is called. */
  readonly variables?: { readonly [name: string]: string };
}

const SERVERS: readonly Server[] = [
  { title: "github-server", package: "@modelcontextprotocol/server-github" },
  { title: "filesystem-server", package: "@modelcontextprotocol/server-filesystem", args: ["."] },
  { title: "playwright-server", package: "@playwright/mcp" },
  { title: "notion-server", package: "@notionhq/notion-mcp-server", variables: { NOTION_TOKEN: "none" } },
  { title: "mongodb-server", package: "mongodb-mcp-server", variables: { MDB_MCP_TELEMETRY: "disabled" } },
];

/** Fetches the servers into a folder, once, and reads what they list. Rejects with a `FetchFailure`. */
export async function readServers(lock: string, directory: string): Promise<readonly Source[]> {
  const packages = await fetchLocked({ title: "published servers", lock, directory });
  const home = join(directory, "home");
  mkdirSync(home, { recursive: true });
  const sources: Source[] = [];
  for (const server of SERVERS) sources.push(await readServer(server, packages, home));
  return sources;
}

async function readServer(server: Server, packages: FetchedPackages, home: string): Promise<Source> {
  await using client = await connect({
    command: process.execPath,
    args: [findProgram(server.package, packages), ...(server.args ?? [])],
    cwd: home,
    env: { HOME: home, CI: "1", DO_NOT_TRACK: "1", ...server.variables },
  });
  const tools: Tool[] = [];
  for await (const tool of client.allTools()) tools.push(tool);
  return { title: server.title, tools: tools.map((tool) => ({ ...tool, key: tool.name })) };
}

function findProgram(name: string, packages: FetchedPackages): string {
  const found = packages.find(name);
  if (found === undefined) throw new Error(`${name} is not among the packages that were fetched.`);
  const { bin } = found.manifest as { readonly bin?: string | { readonly [command: string]: string } };
  const file = typeof bin === "object" ? Object.values(bin)[0] : bin;
  if (file === undefined) throw new Error(`${name} comes without a program.`);
  return join(found.folder, file);
}
