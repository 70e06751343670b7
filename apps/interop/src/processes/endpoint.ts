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

/** A server or bridge that a client can connect to, by a command line or by a URL, through a tap. */
export interface Endpoint {
  /** The command line, over stdio. */
  readonly command?: readonly string[];
  /** The environment that the command needs, if any. */
  readonly variables?: { readonly [name: string]: string } | undefined;
  /** The URL, over other transports. */
  readonly url?: string;
  /** The recordings of the tap so far. */
  readonly recordings: () => readonly Recording[];
  /** Closes the tap and stops the program, unless the client starts it. */
  stop(): Promise<void>;
  /** Kills the rest of the process group. */
  end(): Promise<void>;
}

/** How long a program may take until it listens. */
const START_MS = 20_000;
const COMPLAINT_LENGTH = 800;

/** Makes an endpoint of a program. Over stdio, the client starts the program. Recordings go to the directory. */
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
        // Nothing reads these files. They are for debugging.
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

/** Waits until a program prints its URL, or until the port that it was given accepts connections. */
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

/** Reads the URL that programs of this app print when they listen. */
async function readUrl(output: ProcessGroup["child"]["stdout"]): Promise<URL> {
  if (output === null) throw new Error("A server without output cannot say where it listens.");
  for await (const line of createInterface(output)) {
    if (URL.canParse(line)) return new URL(line);
  }
  // The output has ended because the program has exited, which is reported by `failed` above.
  return new Promise(() => undefined);
}
