// Runs a program and notes every byte that goes in and out of it:
//
//   node tap-stdio.js DIRECTORY COMMAND [ARGUMENT...]

import { spawn } from "node:child_process";
import { mkdirSync, openSync, writeSync } from "node:fs";
import { recordingFiles } from "./recording.ts";

const [directory, command, ...args] = process.argv.slice(2);
if (directory === undefined || command === undefined) {
  throw new Error("Usage: node tap-stdio.js DIRECTORY COMMAND [ARGUMENT...]");
}

mkdirSync(directory, { recursive: true });
// Some clients start a server twice.
const files = recordingFiles(directory, String(process.pid));
// Written at once, so that nothing is lost when this process is killed.
const toServer = openSync(files.toServer, "w");
const toClient = openSync(files.toClient, "w");

// `findLeftovers` finds the program and its descendants by this variable.
const env = { ...process.env, TAP_DIRECTORY: directory };
const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit"] });
process.stdin.on("data", (chunk: Buffer) => writeSync(toServer, chunk));
child.stdout.on("data", (chunk: Buffer) => writeSync(toClient, chunk));
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);

// Whichever side has gone away, the other one is told by the end of its stream.
child.stdin.on("error", () => undefined);
process.stdout.on("error", () => child.kill());
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => child.kill(signal));
child.on("close", (code) => process.exit(code ?? 1));
