#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";
import { COMMANDS } from "./cli/commands.ts";
import { runCommandLine } from "./cli/run.ts";

// V8 places objects into the old heap at once if, at the start, most of their kind outlived a collection. A call that waits for an
// API does. From then on, each call is kept by such objects until the whole heap is collected, and every collection of the
// young heap copies it: a tenth of the time of a call, and pauses of several milliseconds.
setFlagsFromString("--no-allocation-site-pretenuring");

process.exitCode = await runCommandLine(COMMANDS, process.argv.slice(2), {
  print: (line) => process.stdout.write(`${line}\n`),
  tell: (line) => process.stderr.write(`${line}\n`),
  async readInput() {
    let text = "";
    process.stdin.setEncoding("utf8");
    for await (const chunk of process.stdin) text += String(chunk);
    return text;
  },
  env: process.env,
  isTerminal: process.stdout.isTTY,
  isLogTerminal: process.stderr.isTTY,
  isInteractive: process.stdin.isTTY && process.stderr.isTTY,
  // A parent that has opened a channel is told, as process managers expect it.
  ready: (addresses) => process.send?.(addresses),
});
