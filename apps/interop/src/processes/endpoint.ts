import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import {
  readRecordings,
  saveRecording,
  startGroup,
  STDIO_TAP,
  tapPort,
  type ProcessGroup,
  type Recording,
} from "@toolwire/evidence";
import type { Transport } from "../clients/task.ts";
import { untilListening } from "../servers/program.ts";
import type { Launch } from "./launch.ts";

/** A server that can be reached, by a command line or by a URL. Everything that passes is recorded. */
export interface Endpoint {
  /** Over stdio. */
  readonly command?: readonly string[];
  /** Over stdio: environment variables that the command needs. */
  readonly variables?: { readonly [name: string]: string } | undefined;
  /** Over everything else. */
  readonly url?: string;
  /** Everything that has passed. */
  readonly recordings: () => readonly Recording[];
  /** Asks the program to end, if it was started here. */
  stop(): Promise<void>;
  /** Ends everything that is left of it. */
  end(): Promise<void>;
}

/** A program that does not listen after this time never will. */
const START_MS = 20_000;
const COMPLAINT_LENGTH = 800;

/** Makes an endpoint of a program. Over stdio, whoever connects starts it. What passes is kept in the directory, too. */
export async function openEndpoint(launch: Launch, transport: Transport, directory: string): Promise<Endpoint> {
  if (transport !== "stdio") return listen(launch, directory);
  mkdirSync(directory, { recursive: true });
  return {
    command: [process.execPath, STDIO_TAP, directory, ...launch.command],
    variables: launch.variables,
    recordings: () => readRecordings(directory),
    stop: () => Promise.resolve(),
    end: () => Promise.resolve(),
  };
}

async function listen(launch: Launch, directory: string): Promise<Endpoint> {
  const env = launch.variables ?? launch.inherited;
  const group = startGroup(launch.command, { env, cwd: launch.folder, stdio: ["ignore", "pipe", "pipe"] });
  try {
    const url = await untilReady(group, launch);
    const tap = await tapPort({ port: Number(url.port) });
    url.port = String(tap.port);
    return {
      url: url.href,
      recordings: tap.recordings,
      async stop() {
        await tap.close();
        // For whoever wants to know what went wrong.
        for (const [index, recording] of tap.recordings().entries()) saveRecording(directory, String(index), recording);
        await group.stop();
      },
      end: () => group.end(),
    };
  } catch (error) {
    await group.end();
    throw error;
  }
}

/** Waits until a program listens: until it says so, or until somebody listens on the port that it was told. */
async function untilReady({ child }: ProcessGroup, { command, url }: Launch): Promise<URL> {
  let complaint = "";
  const note = (chunk: string): void => {
    complaint = (complaint + chunk).slice(-COMPLAINT_LENGTH);
  };
  child.stderr?.setEncoding("utf8").on("data", note);
  const failed = new Promise<never>((_resolve, reject) => {
    const fail = (reason: string): void => reject(new Error(`${command.join(" ")} ${reason}: ${complaint.trim()}`));
    child.once("error", (error) => fail(`could not be started (${error.message})`));
    child.once("close", (code) => fail(`exited with code ${code}`));
    const timer = setTimeout(() => fail(`did not listen within ${START_MS} ms`), START_MS);
    timer.unref();
  });
  failed.catch(() => undefined);
  if (url === undefined) return Promise.race([readUrl(child.stdout), failed]);
  child.stdout?.setEncoding("utf8").on("data", note);
  await Promise.race([untilListening(Number(new URL(url).port)), failed]);
  return new URL(url);
}

/** A program of this app says where it listens with the first line that it prints. */
async function readUrl(output: ProcessGroup["child"]["stdout"]): Promise<URL> {
  if (output === null) throw new Error("A server without output cannot say where it listens.");
  for await (const line of createInterface(output)) {
    if (URL.canParse(line)) return new URL(line);
  }
  // The program has ended, which says more than this.
  return new Promise(() => undefined);
}
