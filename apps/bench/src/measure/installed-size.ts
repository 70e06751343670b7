/** The packages, and bytes on disk, that `npm install` of a server or client brings along. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** One row of the table of installations. */
export interface InstalledSize {
  readonly name: string;
  /** How many packages are installed, the ones asked for included. */
  readonly packages: number;
  readonly bytes: number;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const HERE = fileURLToPath(new URL("../..", import.meta.url));

/** The packages to install for a server over HTTP and stdio, or for a client. */
const INSTALLATIONS: Readonly<Record<string, readonly string[]>> = {
  "toolwire server": ["@toolwire/server"],
  "v2 server": ["@modelcontextprotocol/server", "@modelcontextprotocol/node"],
  "v1 server and client": ["sdk-v1"],
  "fastmcp server": ["fastmcp"],
  "mcp-lite server": ["mcp-lite"],
  "tmcp server": ["tmcp", "@tmcp/transport-http", "@tmcp/transport-stdio"],
  "toolwire client": ["@toolwire/client"],
  "v2 client": ["@modelcontextprotocol/client"],
};

/** Follows the dependencies of every contender through the installed packages. */
export function measureInstallations(): InstalledSize[] {
  return Object.entries(INSTALLATIONS).map(([name, packages]) => {
    const found = new Set<string>();
    for (const each of packages) collectPackages(each, HERE, found);
    let bytes = 0;
    for (const folder of found) bytes += measurePackage(folder);
    return { name, packages: found.size, bytes };
  });
}

/** Adds a package and everything npm would install for it. */
function collectPackages(name: string, from: string, found: Set<string>): void {
  const folder = findPackage(name, from);
  if (folder === undefined || found.has(folder)) return;
  found.add(folder);
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = readManifest(folder);
  const peers = Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
  for (const each of [...Object.keys(dependencies), ...peers]) collectPackages(each, folder, found);
}

function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return realpathSync(candidate);
    if (dirname(folder) === folder) return undefined;
  }
}

/** The version of an installed package. */
export function readVersion(name: string): string {
  const folder = findPackage(name, HERE);
  return folder === undefined ? "not installed" : readManifest(folder).version;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** A package of the workspace weighs what would be published of it. */
function measurePackage(folder: string): number {
  const isInstalled = folder.includes("node_modules");
  if (isInstalled) return measureFolder(folder);
  const published = ["dist", "src", "package.json", "README.md"];
  return published.reduce((bytes, part) => bytes + measureFolder(join(folder, part)), 0);
}

function measureFolder(path: string): number {
  if (!existsSync(path)) return 0;
  const found = statSync(path);
  if (!found.isDirectory()) return path.endsWith(".tsbuildinfo") ? 0 : found.size;
  return readdirSync(path)
    .filter((name) => name !== "node_modules")
    .reduce((bytes, name) => bytes + measureFolder(join(path, name)), 0);
}
