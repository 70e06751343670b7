/// <reference lib="esnext.disposable" preserve="true" />
import { TransportError, type Channel, type ChannelReceiver, type Outgoing } from "@toolwire/protocol";
import { createLineChannel } from "@toolwire/protocol/channels";
import { callListener, closedError, expectMilliseconds } from "@toolwire/protocol/internal";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { decodeUtf8 } from "../decode-utf8.ts";
import { OutputTail } from "./output-tail.ts";
import { ProcessFamily, signalTree } from "./process-tree.ts";
import { startProcess } from "./process.ts";

/** The program to start, and its environment. */
export interface ProcessOptions {
  /** The program. No shell is involved, so nothing in `command` or `args` is interpreted. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Environment variables for the server, in addition to those it inherits. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether the server inherits this process's whole environment, secrets included. Default: only `HOME`, `LOGNAME`,
   * `PATH`, `SHELL`, `TERM` and `USER`, or their counterparts on Windows.
   */
  readonly inheritEnv?: boolean | undefined;
  /** The working directory of the server. Default: that of this process. */
  readonly cwd?: string | undefined;
}

/** A server to start as a child process, and its limits. */
export interface SpawnOptions extends ProcessOptions {
  /**
   * Where the server's stderr goes: to this process's stderr, nowhere, or to a function that gets it piece by piece.
   * Default `"inherit"`.
   */
  readonly stderr?: "inherit" | "ignore" | ((text: string) => void) | undefined;
  /** The largest message to accept from the server, in bytes. A larger one ends the connection. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How many bytes may wait for a server that does not read. Beyond that, the connection ends. Default 256 MiB. */
  readonly maxQueuedBytes?: number | undefined;
  /**
   * How many milliseconds the server gets to exit after the end of its input, and again after SIGTERM. Default 2000.
   */
  readonly stopTimeout?: number | undefined;
}

/** A server that runs as a child process, and the channel to it. */
export interface ServerProcess extends Channel {
  /** The id of the process, once the channel is open. */
  readonly pid: number | undefined;
  /** The last few kilobytes that the server wrote to stderr, in whole lines: a line that begins before them is left out. */
  readonly stderrTail: string;
  /** Closes the channel and ends the process. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes a channel to a server that runs as a child process. Opening the channel starts the process. A channel can be
 * opened only once: to start the server again, call this again.
 *
 * Closing ends the server's input, waits, then sends SIGTERM, waits, and sends SIGKILL. On POSIX the server leads a
 * process group (and session) of its own. So what it has started in this group ends with it, and Ctrl-C in a terminal
 * reaches only this process, which can then stop the server properly. On Linux, closing also ends descendants that have
 * left the group. No server outlives this process, with one exception: on Windows, behind a batch file such as `npx`, if
 * this process is killed and the server ignores the end of its input.
 */
export function spawnServer(options: SpawnOptions): ServerProcess {
  return new ChildChannel(options);
}

/** How long descendants of a server may take to end once they are killed, and how often that is checked. */
const GONE_WITHIN_MS = 1000;
const LOOK_AGAIN_MS = 5;

/** How long a killed server may take to end. It has no say in that, so only a busy machine takes longer than an instant. */
const KILLED_WITHIN_MS = 10_000;

/** How long the exit code and the last lines of stderr are waited for once the output has ended, in milliseconds. */
const LAST_WORDS_MS = 250;

class ChildChannel implements ServerProcess {
  readonly #options: SpawnOptions;
  readonly #stopTimeout: number;
  #child: ChildProcessWithoutNullStreams | undefined;
  #lines: Channel | undefined;
  #receiver: ChannelReceiver | undefined;
  #hasOutputEnded = false;
  #stopping: Promise<void> | undefined;
  readonly #stderrTail = new OutputTail();

  constructor(options: SpawnOptions) {
    this.#options = options;
    this.#stopTimeout = expectMilliseconds("stopTimeout", options.stopTimeout, 2000);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get stderrTail(): string {
    return this.#stderrTail.text;
  }

  async open(receiver: ChannelReceiver): Promise<void> {
    const child = await startProcess(this.#options);
    this.#keepStderr(child);
    child.once("exit", () => {
      // From here on, the server cannot read what is written.
      this.#endOutput();
      sweepAfter(child);
    });
    if (this.#stopping !== undefined) {
      signalTree(child, "SIGKILL");
      throw closedError();
    }
    this.#receiver = receiver;
    this.#child = child;
    this.#lines = createLineChannel(child.stdout, child.stdin, {
      side: "client",
      maxMessageBytes: this.#options.maxMessageBytes ?? 64 * 1024 * 1024,
      maxQueuedBytes: this.#options.maxQueuedBytes,
      decode: decodeUtf8,
      schedule: (flush) => process.nextTick(flush),
      yield: setImmediate,
    });
    await this.#lines.open({
      message: (message) => receiver.message(message),
      batch: (items) => receiver.batch(items),
      malformed: (error) => receiver.malformed(error),
      outputEnded: () => this.#endOutput(),
      closed: (reason) => this.#lose(child, reason),
    });
  }

  send(message: Outgoing): void | Promise<void> {
    if (this.#lines === undefined || this.#stopping !== undefined || hasExited(this.#child!)) throw closedError();
    // If the server ends while a message waits for room, the receiver hears of the end before the message resolves.
    return (this.#lines.send(message) as Promise<void> | undefined)?.then(() => this.#stopping);
  }

  close(): Promise<void> {
    return (this.#stopping ??= this.#stop().then(() => this.#receiver?.closed()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Tells the receiver, once, that nothing can be sent any more: the process and its input end in either order. */
  #endOutput(): void {
    if (this.#hasOutputEnded || this.#receiver === undefined) return;
    this.#hasOutputEnded = true;
    this.#receiver.outputEnded?.();
  }

  /** The connection has ended by itself: tells the receiver why, and ends the process. */
  #lose(child: ChildProcessWithoutNullStreams, reason: Error | undefined): void {
    // A server beyond its limits is not read any more, and notices when its pipe is closed.
    if (isOverload(reason)) child.stdout.destroy();
    if (this.#stopping !== undefined) return;
    this.#endOutput();
    this.#stopping = happensWithin(child, "close", LAST_WORDS_MS).then(() => {
      this.#receiver?.closed(this.#explain(child, reason));
      return this.#stop();
    });
  }

  /** Ends the server and its descendants. */
  async #stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    if (hasExited(child)) {
      void this.#lines?.close();
      return;
    }
    // Once the server has ended, descendants in sessions of their own can no longer be found.
    const family = new ProcessFamily(child.pid!);
    family.look();
    void this.#lines?.close();
    await this.#escalate(child, family);
    await endFamily(family);
  }

  /** Follows the end of input by SIGTERM, then SIGKILL, each with time to take effect (lifecycle, "Shutdown"). */
  async #escalate(child: ChildProcessWithoutNullStreams, family: ProcessFamily): Promise<void> {
    if (await happensWithin(child, "exit", this.#stopTimeout)) return;
    family.look();
    signalTree(child, "SIGTERM");
    family.signal("SIGTERM");
    if (await happensWithin(child, "exit", this.#stopTimeout)) return;
    family.look();
    signalTree(child, "SIGKILL");
    await happensWithin(child, "exit", KILLED_WITHIN_MS);
  }

  #keepStderr(child: ChildProcessWithoutNullStreams): void {
    let { stderr = "inherit" } = this.#options;
    child.stderr.setEncoding("utf8");
    child.stderr.on("error", () => {});
    child.stderr.on("data", (text: string) => {
      this.#stderrTail.add(text);
      if (stderr === "inherit") process.stderr.write(text);
      if (typeof stderr !== "function") return;
      const listener = stderr;
      callListener(
        () => listener(text),
        // An exception here would end the whole process because of a log line.
        (error) => {
          if (stderr === "ignore") return;
          stderr = "ignore";
          process.emitWarning(`The \`stderr\` function of a server failed and is not called again: ${String(error)}`);
        },
      );
    });
  }

  #explain(child: ChildProcessWithoutNullStreams, reason: Error | undefined): Error {
    if (isOverload(reason)) return reason;
    const words = this.stderrTail.trim();
    const said = words === "" ? "It wrote nothing to stderr." : `The last it wrote to stderr:\n${words}`;
    const message = `The server process ${child.pid} (${this.#options.command}) ${howItEnded(child)}. ${said}`;
    return new TransportError("CONNECTION_LOST", message, { cause: reason });
  }
}

/** Whether this side has ended the connection because the server exceeded a limit. */
function isOverload(reason: Error | undefined): reason is TransportError {
  return reason instanceof TransportError && reason.code === "OVERLOADED";
}

function howItEnded(child: ChildProcessWithoutNullStreams): string {
  if (child.signalCode !== null) return `was ended by ${child.signalCode}`;
  if (child.exitCode !== null) return `exited with code ${child.exitCode}`;
  return "closed its output";
}

/** Ends descendants of a server that has ended, and closes its output if they hold that open. */
function sweepAfter(child: ChildProcessWithoutNullStreams): void {
  // Windows uses the ids of ended processes again at once, and does not know their children any more.
  if (process.platform !== "win32") signalTree(child, "SIGKILL");
  const timer = setTimeout(() => {
    child.stdout.destroy();
    child.stderr.destroy();
  }, LAST_WORDS_MS);
  child.once("close", () => clearTimeout(timer));
}

/** Ends the remaining descendants of a server, and waits until they are gone. */
async function endFamily(family: ProcessFamily): Promise<void> {
  if (family.isGone) return;
  // They may have started others since they were last listed.
  family.look();
  family.signal("SIGKILL");
  for (let waited = 0; waited < GONE_WITHIN_MS && !family.isGone; waited += LOOK_AGAIN_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

function hasExited(child: ChildProcessWithoutNullStreams): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function happensWithin(child: ChildProcessWithoutNullStreams, event: "exit" | "close", ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      child.off(event, settle);
      resolve(false);
    }, ms);
    child.once(event, settle);
  });
}
