import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { bundlePage } from "../packed/bundle.ts";
import { startProgram } from "./child.ts";
import { servePage } from "./page-server.ts";
import type { ClientHost, Runtime } from "./runtime.ts";

/** A browser that is installed. */
export interface InstalledChromium {
  readonly binary: string;
  readonly version: string;
}

/** No network but for the page, no questions, and nothing that outlives the run. */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Looks for the browser: where the environment says, or where Debian and its like put it. */
export function findChromium(): InstalledChromium | undefined {
  const binary = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  if (!existsSync(binary)) return undefined;
  const printed = execFileSync(binary, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return { binary, version: /\d+(?:\.\d+)+/.exec(printed)?.[0] ?? "of unknown version" };
}

/** Makes a runtime of the browser. Its version differs from machine to machine, so the row does not name it. */
export function chromiumRuntime({ binary }: InstalledChromium, programs: string, output: string): Runtime {
  const files = join(output, "page");
  let bundled: Promise<void> | undefined;
  return {
    title: CHROMIUM,
    name: "Chromium",
    servers: {},
    clients: ["http", "websocket", "memory"],
    async startClients() {
      await (bundled ??= bundlePage(join(programs, "page.js"), files));
      return startClients(binary, files, output);
    },
  };
}

/** What the row of the browser is called. */
export const CHROMIUM = "Chromium";

async function startClients(binary: string, files: string, output: string): Promise<ClientHost> {
  const page = await servePage(files, "page.js");
  // Left to the next run to remove: some of the browser's processes write to it when the browser has exited already.
  const profile = mkdtempSync(join(output, "profile-"));
  const browser = startProgram([binary, ...FLAGS, `--user-data-dir=${profile}`, page.origin], "stdout");
  browser.child.once("exit", () => page.fail(`The browser ended: ${browser.complaint()}`));
  return {
    origin: page.origin,
    run: (task) => page.run(task),
    async stop() {
      await page.close();
      await browser.stop();
    },
  };
}
