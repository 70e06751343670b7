import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The programs as users run them. */
export const CLIENT: string = fileURLToPath(new URL("../dist/main.js", import.meta.url));
export const SERVER: string = fileURLToPath(new URL("../../example-server/dist/main.js", import.meta.url));

for (const program of [CLIENT, SERVER]) {
  if (!existsSync(program)) {
    throw new Error("These tests run the built programs, and they are not there: run `npm run build` first.");
  }
}

/** The output of a program, and how it ended. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the client to its end, without a terminal. */
export function runClient(args: readonly string[], nodeOptions: readonly string[] = []): Promise<Outcome> {
  const child = spawn(process.execPath, [...nodeOptions, CLIENT, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout: stdout(), stderr: stderr() }));
  });
}

/** Starts the example server, and waits until it has announced so many listeners. */
export function startServer(
  args: readonly string[],
  listeners: number,
): Promise<{ urls: string[]; child: ChildProcess }> {
  const child = spawn(process.execPath, [SERVER, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  return new Promise((resolve, reject) => {
    let announced = "";
    child.once("exit", (code) => reject(new Error(`The server exited with ${code}: ${announced}`)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      announced += text;
      const urls = [...announced.matchAll(/^\{"listening":"(.+)"\}$/gm)].map(([, url = ""]) => url);
      if (urls.length === listeners) resolve({ urls, child });
    });
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return () => text;
}
