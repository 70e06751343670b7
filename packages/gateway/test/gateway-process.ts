import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MAIN = join(import.meta.dirname, "../src/main.ts");

/** A gateway in a process of its own. */
export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  readonly adminUrl: string;
  readonly folder: string;
  readonly file: string;
  readonly child: ChildProcess;
  /** Everything that it has printed so far. */
  output(): string;
  /** Resolves when a line of its output matches. */
  waitFor(pattern: RegExp): Promise<string>;
  /** Sends a signal, and resolves with the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `serve` with a configuration, on free ports unless others are given, and waits until it serves. */
export async function startGateway(
  config: string,
  env: { readonly [name: string]: string } = {},
  ports: { readonly clients?: number; readonly admin?: number } = {},
  args: readonly string[] = [],
): Promise<GatewayProcess> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-"));
  const file = join(folder, "gateway.yaml");
  await writeFile(file, config);
  const { clients = 0, admin: adminPort = 0 } = ports;
  const child = start(["serve", file, "--port", String(clients), "--admin-port", String(adminPort), ...args], env);
  let output = "";
  const listeners = new Set<() => void>();
  const collect = (chunk: unknown): void => {
    output += String(chunk);
    for (const listener of listeners) listener();
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  const closed = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      resolve(code);
      for (const listener of listeners) listener();
    });
  });
  const waitFor = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const line = output.split("\n").find((each) => pattern.test(each));
        if (line === undefined && child.exitCode === null) return;
        listeners.delete(look);
        if (line === undefined) reject(new Error(`The gateway ended with ${child.exitCode}:\n${output}`));
        else resolve(line);
      };
      listeners.add(look);
      look();
    });
  const end = async (signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> => {
    child.kill(signal);
    return closed;
  };
  const line = await waitFor(/^\{"listening"/);
  const { listening, admin } = JSON.parse(line) as { readonly listening: string; readonly admin: string };
  return {
    url: listening,
    adminUrl: admin,
    folder,
    file,
    child,
    output: () => output,
    waitFor,
    end,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) await end("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function start(args: readonly string[], env: { readonly [name: string]: string }): ChildProcess {
  return spawn(process.execPath, ["--conditions=@toolwire/source", "--import", "tsx", MAIN, ...args], {
    // A token that is made for a run is kept for the commands of the user: here, of the test.
    env: { ...process.env, XDG_STATE_HOME: join(tmpdir(), `gateway-state-${process.pid}`), NO_COLOR: "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}
