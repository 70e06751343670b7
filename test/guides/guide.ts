import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { vi } from "vitest";
import { findPort } from "@toolwire/engines";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);

/**
 * Follows a guide as a reader does: in an empty folder with the packages installed, with the files and the commands of the guide.
 * Only its ports are replaced by free ones, so that several tests can run at once.
 */
export class Guide {
  readonly folder: string;
  readonly #text: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #background: ChildProcess[] = [];

  private constructor(folder: string, text: string, env: NodeJS.ProcessEnv) {
    this.folder = folder;
    this.#text = text;
    this.#env = env;
  }

  /** `variables` are in the environment of the reader. */
  static async open(
    document: string,
    ports: readonly number[],
    variables: { readonly [name: string]: string } = {},
  ): Promise<Guide> {
    const folder = await mkdtemp(join(tmpdir(), "toolwire-guide-"));
    let text = await readFile(join(root, "docs", document), "utf8");
    const free = new Map(await Promise.all(ports.map(async (port) => [port, await findPort()] as const)));
    for (const [port, other] of free) {
      text = text.replaceAll(new RegExp(`(?<=:|: |\\(|=)${port}\\b`, "g"), String(other));
    }
    await mkdir(join(folder, "node_modules", "@toolwire"), { recursive: true });
    for (const name of ["client", "gateway", "openapi", "otel", "postgres", "redis", "server"]) {
      await symlink(join(root, "packages", name), join(folder, "node_modules", "@toolwire", name), "junction");
    }
    for (const name of ["@opentelemetry", "oidc-provider", "pg", "redis", "tsx", "zod"]) {
      await symlink(join(root, "test", "node_modules", name), join(folder, "node_modules", name), "junction");
    }
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    const bin = join(folder, "bin");
    await mkdir(bin);
    const [listen, admin] = [free.get(8080), free.get(8081)];
    await writeFile(join(bin, "npx"), writeNpx(listen, admin));
    await chmod(join(bin, "npx"), 0o755);
    // What is installed is there already.
    await writeFile(join(bin, "npm"), "#!/bin/sh\n");
    await chmod(join(bin, "npm"), 0o755);
    const path = [bin, process.env["PATH"]].join(delimiter);
    return new Guide(folder, text, {
      ...variables,
      NODE_ENV: "production",
      PATH: path,
      HOME: folder,
      TOOLWIRE_GATEWAY_ADMIN: `http://127.0.0.1:${admin}`,
    });
  }

  /**
   * Takes the place of the user's browser: logs in at every page that a program opens, until it is back at the program. Returns the
   * pages, which are known when the program has ended.
   */
  async useBrowser(): Promise<() => Promise<readonly string[]>> {
    const [program, record] = [join(this.folder, "bin", "xdg-open"), join(this.folder, "opened.txt")];
    const browser = join(root, "test", "guides", "browser.ts");
    const command = `"${process.execPath}" --conditions=@toolwire/source --import "${import.meta.resolve("tsx")}" "${browser}"`;
    await writeFile(program, `#!/bin/sh\necho "$1" >> "${record}"\nexec ${command} "$1"\n`);
    await chmod(program, 0o755);
    this.#env["DISPLAY"] = ":0";
    return async () => (await readFile(record, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  }

  /** Writes a file of the guide: the block that begins with a comment with its name, or with another title. */
  async write(name: string, title: string = name): Promise<void> {
    await writeFile(join(this.folder, name), this.#blockOf(title));
  }

  /** Adds lines to a file that was written before. */
  async change(name: string, change: (text: string) => string): Promise<void> {
    const file = join(this.folder, name);
    await writeFile(file, change(await readFile(file, "utf8")));
  }

  /** Runs the commands of the first block of shell commands that contains a text. Returns what each has printed to stdout. */
  async runBlock(containing: string): Promise<readonly string[]> {
    const block = this.#blocks("sh").find((each) => each.includes(containing));
    if (block === undefined) throw new Error(`The guide has no commands that contain ${containing}`);
    const printed: string[] = [];
    for (const command of block.replaceAll("\\\n", " ").trim().split("\n")) printed.push(await this.#run(command));
    return printed;
  }

  /** Sends a signal to the program that was started last. */
  signal(signal: NodeJS.Signals): void {
    this.#background.at(-1)?.kill(signal);
  }

  /** A block of JSON of the guide, as data. */
  json(containing: string): unknown {
    return JSON.parse(this.#blocks("json").find((each) => each.includes(containing)) ?? "null");
  }

  /** A block of plain text of the guide: what a command prints. */
  text(containing: string): string | undefined {
    return this.#blocks("text")
      .find((each) => each.includes(containing))
      ?.trimEnd();
  }

  /** How many lines a file has that was written before. */
  async countLines(name: string): Promise<number> {
    return (await readFile(join(this.folder, name), "utf8")).trimEnd().split("\n").length;
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#background.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, "exit");
        child.kill();
        await ended;
      }),
    );
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #run(command: string): Promise<string> {
    if (command.endsWith(" &")) {
      await this.#start(command.slice(0, -2));
      return "";
    }
    const variable = /^export (\w+)=(.*)$/.exec(command);
    const script = variable === null ? command : `printf %s ${variable[2]}`;
    const { stdout } = await run("bash", ["-c", script], { cwd: this.folder, env: this.#env }).catch(
      (error: { readonly stdout: string; readonly stderr: string }) => {
        throw new Error(`${command}\n${error.stdout}${error.stderr}`);
      },
    );
    if (variable !== null) this.#env[variable[1]!] = stdout;
    return stdout.trimEnd();
  }

  /** Starts a program in the background, and waits until it listens. */
  async #start(command: string): Promise<void> {
    const child = spawn("bash", ["-c", `exec env ${command}`], {
      cwd: this.folder,
      env: this.#env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#background.push(child);
    let told = "";
    child.stderr.on("data", (chunk) => (told += String(chunk)));
    if (command.includes(" serve ")) {
      await until(() => child.exitCode !== null || told.includes('{"listening":'));
      if (child.exitCode !== null) throw new Error(`${command} ended:\n${told}`);
      return;
    }
    const file = /\S+\.(?:mjs|ts)/.exec(command)?.[0] ?? "";
    const port = Number(/(?:listen\(|port: )(\d+)/.exec(this.#blockOf(file))?.[1] ?? /PORT=(\d+)/.exec(command)?.[1]);
    await until(() => isOpen(port));
  }

  #blockOf(name: string): string {
    const block = this.#blocks("\\w+").find((each) => new RegExp(`^(?://|#) ${name}\\n`).test(each));
    if (block === undefined) throw new Error(`The guide has no file ${name}`);
    return block;
  }

  #blocks(language: string): string[] {
    return [...this.#text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm"))].map(
      ([, block = ""]) => block,
    );
  }
}

/**
 * What `npx` does in the folder of a guide: it runs the programs that npm would have linked, `tsx` and `toolwire-gateway`. The gateway
 * listens on ports of the test.
 */
function writeNpx(port: number | undefined, adminPort: number | undefined): string {
  const gateway = join(root, "packages", "gateway", "dist", "main.js");
  return [
    "#!/bin/sh",
    "program=$1; shift",
    `[ "$program" = tsx ] && exec "${process.execPath}" --import tsx "$@"`,
    `[ "$1" = serve ] && set -- "$@" --port ${port} --admin-port ${adminPort}`,
    `exec "${process.execPath}" "${gateway}" "$@"`,
    "",
  ].join("\n");
}

/** Waits until something is so. The time is a ceiling, for slow machines only. */
function until(check: () => boolean | Promise<boolean>): Promise<boolean> {
  return vi.waitUntil(check, { timeout: 45_000, interval: 50 });
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
