import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The program as users run it. */
export const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));

if (!existsSync(MAIN)) {
  throw new Error("These tests run the built program, and it is not there: run `npm run build` first.");
}

/** A server process that listens. */
export interface RunningServer {
  readonly process: ChildProcess;
  /** Where it listens, in the order in which it said so. */
  readonly urls: readonly string[];
  /** All that it has written to stderr so far. */
  stderr(): string;
  /** Ends it in good order, and gives its exit code. */
  stop(): Promise<number | null>;
}

/** Starts the server, and waits until it has announced so many listeners. */
export async function startServer(args: readonly string[], listeners = 1): Promise<RunningServer> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const exited = once(child, "exit") as Promise<[number | null]>;
  let stderr = "";
  child.stderr.setEncoding("utf8");
  const announced = new Promise<string[]>((resolve) => {
    child.stderr.on("data", (text: string) => {
      stderr += text;
      const urls = readAnnouncements(stderr);
      if (urls.length === listeners) resolve(urls);
    });
  });
  const failed = exited.then(([code]) => {
    throw new Error(`The server exited with ${code}:\n${stderr}`);
  });
  const urls = await Promise.race([announced, failed]);
  return {
    process: child,
    urls,
    stderr: () => stderr,
    async stop() {
      child.kill("SIGTERM");
      const [code] = await exited;
      return code;
    },
  };
}

function readAnnouncements(stderr: string): string[] {
  return stderr
    .split("\n")
    .filter((line) => line.startsWith('{"listening"'))
    .flatMap((line) => {
      try {
        return [(JSON.parse(line) as { listening: string }).listening];
      } catch {
        // The line is not complete yet.
        return [];
      }
    });
}
