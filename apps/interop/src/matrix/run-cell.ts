import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { readRecordings, STDIO_TAP, tapPort, type Recording } from "@toolwire/evidence";
import type { ClientTask } from "../clients/task.ts";
import type { StepOutcomes } from "../steps/run-steps.ts";
import type { Cell, ServerPeer } from "./cells.ts";

/** How a pair got along. */
export interface CellRun {
  /** How the steps ended; absent if the two did not even connect. */
  readonly outcomes: StepOutcomes | undefined;
  /** What the client printed about what went wrong. */
  readonly complaint: string;
  /** What went over the wire. */
  readonly recordings: readonly Recording[];
}

const CLIENT_MS = 60_000;

/** Starts both halves as processes of their own, with a tap between them, and waits until the client is done. */
export async function runCell({ client, server, transport }: Cell, directory: string): Promise<CellRun> {
  const limits = server.limits?.filter((limit) => limit.transport === undefined || limit.transport === transport) ?? [];
  const { sdk, mode } = client;
  const task = { sdk, mode, transport, script: server.script ?? "standard", without: limits.map(({ step }) => step) };
  const program = [programPath("servers", server), transport, ...(server.sdk === undefined ? [] : [server.sdk])];
  if (transport === "stdio") {
    mkdirSync(directory, { recursive: true });
    const command = [process.execPath, STDIO_TAP, directory, process.execPath, ...program];
    const run = await runClient(programPath("clients", client), { ...task, command });
    return { ...run, recordings: readRecordings(directory) };
  }
  const child = spawn(process.execPath, program, { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const url = await readUrl(child);
    const tap = await tapPort({ port: Number(url.port) });
    url.port = String(tap.port);
    const run = await runClient(programPath("clients", client), { ...task, url: url.href });
    await tap.close();
    return { ...run, recordings: tap.recordings() };
  } finally {
    child.kill("SIGKILL");
  }
}

async function runClient(program: string, task: ClientTask): Promise<Pick<CellRun, "outcomes" | "complaint">> {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: CLIENT_MS,
    killSignal: "SIGKILL",
  });
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  const line = printed.split("\n").find((candidate) => candidate.startsWith("{"));
  return { outcomes: line === undefined ? undefined : (JSON.parse(line) as StepOutcomes), complaint };
}

/** A server says where it listens with the first line that it prints. */
async function readUrl(child: ChildProcess): Promise<URL> {
  if (child.stdout === null) throw new Error("A server without output cannot say where it listens.");
  for await (const line of createInterface(child.stdout)) {
    if (URL.canParse(line)) return new URL(line);
  }
  throw new Error("The server exited before it listened.");
}

function programPath(folder: string, { program }: Pick<ServerPeer, "program">): string {
  return fileURLToPath(new URL(`../${folder}/${program}.js`, import.meta.url));
}
