import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FetchedPackages } from "@toolwire/evidence";
import { browserRuntimes, seekBrowser, type SoughtBrowser } from "./browsers/browser.ts";
import { chromium } from "./browsers/chromium.ts";
import { firefox } from "./browsers/firefox.ts";
import { webkit } from "./browsers/webkit.ts";
import { commandLineRuntime } from "./command-line.ts";
import type { Command } from "./child.ts";
import type { Runtime } from "./runtime.ts";
import { workerdRuntimes } from "./workerd.ts";

/** The runtimes to run. */
export interface FoundRuntimes {
  readonly runtimes: readonly Runtime[];
  /** The names of the rows, also those of browsers that are not here. */
  readonly titles: readonly string[];
  /** The packages of runtimes that there are none of for this platform. */
  readonly missing: readonly string[];
  /** All browsers that are run where they are installed. */
  readonly browsers: readonly SoughtBrowser[];
}

/** Where programs are, and where what is made of them goes. */
export interface Places {
  readonly programs: string;
  readonly output: string;
}

const NODES = ["node-20", "node-22", "node-24", "node-26"];
const DENO = "@deno/linux-x64-glibc";
const WORKERD = "@cloudflare/workerd-linux-64";

/** Makes runtimes of what was fetched and of the browsers that are installed. */
export async function findRuntimes(packages: FetchedPackages, { programs, output }: Places): Promise<FoundRuntimes> {
  const missing: string[] = [];
  const withPackage = (name: string, make: (folder: string, version: string) => Runtime[]): Runtime[] => {
    const found = packages.find(name);
    // Some packages of Node have a version that begins with a v.
    if (found !== undefined) return make(found.folder, found.manifest.version.replace(/^v/, ""));
    missing.push(name);
    return [];
  };
  const browsers = await Promise.all([chromium, firefox, webkit].map(seekBrowser));
  const fetched = [
    ...NODES.flatMap((name) =>
      withPackage(name, (folder, version) => [
        commandLineRuntime({ title: "Node", version, command: [join(folder, "bin", "node")] }, programs),
      ]),
    ),
    ...withPackage(bunPackage(), (folder, version) => {
      const command: Command = [join(folder, "bin", "bun"), "--no-install"];
      return [commandLineRuntime({ title: "Bun", version, command, webServer: "bun-server" }, programs)];
    }),
    ...withPackage(DENO, (folder, version) => {
      const command: Command = [join(folder, "deno"), "run", "--no-lock", "--no-remote", "--no-config", ...PERMISSIONS];
      return [commandLineRuntime({ title: "Deno", version, command, webServer: "deno-server" }, programs)];
    }),
    ...withPackage(WORKERD, (folder, version) =>
      workerdRuntimes({ binary: join(folder, "bin", "workerd"), version, programs, output }),
    ),
  ];
  const runtimes = [...fetched, ...browserRuntimes(browsers, programs, output)];
  const titles = [...fetched, ...browsers.map(({ browser }) => browser)].map(({ title }) => title);
  return { runtimes, titles, missing, browsers };
}

/** The permissions that Deno gives only when it is told to. */
const PERMISSIONS = [
  "--node-modules-dir=manual",
  "--allow-net=127.0.0.1",
  "--allow-env",
  "--allow-read",
  "--allow-run",
  "--allow-sys",
];

/** Bun's usual build needs a processor of the last ten years; there is another one for the rest. */
function bunPackage(): string {
  return hasAvx2() ? "@oven/bun-linux-x64" : "@oven/bun-linux-x64-baseline";
}

function hasAvx2(): boolean {
  try {
    return readFileSync("/proc/cpuinfo", "utf8").includes(" avx2 ");
  } catch {
    return true;
  }
}
