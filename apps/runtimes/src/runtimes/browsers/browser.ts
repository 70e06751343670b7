import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { bundlePage } from "../../packed/bundle.ts";
import { runToEnd, type RunningProgram } from "../child.ts";
import type { ClientHost, Runtime } from "../runtime.ts";
import { servePage } from "./page-server.ts";

/** A kind of browser, and how to have it show a page. What the page finds out, it tells its server: nobody drives it. */
export interface Browser {
  /** The name of its row. Versions differ from machine to machine, so the row does not name them. */
  readonly title: string;
  /** The variable in the environment that names its program. */
  readonly variable: string;
  /** Where Debian and its like put the program. */
  readonly path: string;
  /** Other programs that it cannot do without. */
  readonly needs: readonly string[];
  readonly readVersion: (program: string) => Promise<string>;
  /** Shows a page, with an empty folder for whatever the browser wants to keep. */
  readonly show: (url: string, program: string, profile: string) => Promise<RunningProgram>;
}

/** A browser, and whether it is installed. */
export interface SoughtBrowser {
  readonly browser: Browser;
  readonly program: string;
  /** Absent: it is not installed. */
  readonly version: string | undefined;
  /** The programs that it would take, and that are not there. */
  readonly lacking: readonly string[];
}

const VERSION_MS = 20_000;

/** Looks for a browser: where the environment says, or where it usually is. */
export async function seekBrowser(browser: Browser): Promise<SoughtBrowser> {
  const program = process.env[browser.variable] ?? browser.path;
  const lacking = [program, ...browser.needs].filter((path) => !existsSync(path));
  const version = lacking.length === 0 ? await browser.readVersion(program) : undefined;
  return { browser, program, version, lacking };
}

/** The number in what a program says about its version. */
export async function askVersion(program: string, variables?: NodeJS.ProcessEnv): Promise<string> {
  const { output } = await runToEnd([program, "--version"], VERSION_MS, variables);
  return /\d+(?:\.\d+)+\w*/.exec(output)?.[0] ?? "of unknown version";
}

/** Makes runtimes of the browsers that are installed. They share the files of the page. */
export function browserRuntimes(sought: readonly SoughtBrowser[], programs: string, output: string): Runtime[] {
  const files = join(output, "page");
  let bundled: Promise<void> | undefined;
  return sought
    .filter(({ version }) => version !== undefined)
    .map(({ browser, program }) => ({
      title: browser.title,
      name: browser.title,
      servers: {},
      clients: ["http", "websocket", "memory"],
      async startClients() {
        await (bundled ??= bundlePage(join(programs, "page.js"), files));
        return startClients(browser, program, files, output);
      },
    }));
}

async function startClients(browser: Browser, program: string, files: string, output: string): Promise<ClientHost> {
  const page = await servePage(files, "page.js");
  // Left to the next run to remove: some of a browser's processes write to it when the browser has exited already.
  const profile = mkdtempSync(join(output, "profile-"));
  const running = await browser.show(page.origin, program, profile);
  running.child.once("exit", () => page.fail(`The browser ended: ${running.complaint()}`));
  return {
    origin: page.origin,
    run: (task) => page.run(task),
    async stop() {
      await page.close();
      await running.stop();
    },
  };
}
