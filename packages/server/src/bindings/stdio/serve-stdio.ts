/// <reference lib="esnext.disposable" preserve="true" />
import type { DecodeUtf8 } from "@toolwire/protocol/framing";
import { constants } from "node:os";
import { createLineChannel, type TextSink } from "@toolwire/protocol/channels";
import {
  expectLimit,
  expectMilliseconds,
  expectBoolean,
  expectFunction,
  expectOption,
  expectOptions,
  type OptionNames,
} from "@toolwire/protocol/internal";
import type { Readable, Writable } from "node:stream";
import { bindingOf, type ServerBinding } from "../../binding.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { expectCluster } from "../../cluster/options.ts";
import type { Server } from "../../define/server.ts";
import { openChannel } from "../channel/serve-channel.ts";
import { withTimeout } from "../admission/with-timeout.ts";
import { guardStdout, type StdoutGuard } from "./stdout-guard.ts";

/** Decodes UTF-8 several times as fast as `TextDecoder` does for short messages. */
const decodeUtf8: DecodeUtf8 = (bytes, start, end) => {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString("utf8", start, end);
};

/** How a process ends. */
interface Ending {
  /** Begins to end the process in good order. */
  end(): void;
  /** Whether that has begun. */
  isEnding(): boolean;
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** How often to look whether the parent is still there, in milliseconds. */
const PARENT_INTERVAL_MS = 1000;

/**
 * Ends the process in good order on a signal, or when its parent has died; a second signal ends it at once. End of input
 * usually tells of a dead parent first, unless another process holds the other end of the pipe. Never keeps the process
 * alive.
 */
function watchProcess(ending: Ending): void {
  const onSignal = (signal: NodeJS.Signals): void => {
    if (ending.isEnding()) process.exit(128 + constants.signals[signal]);
    ending.end();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);

  // POSIX gives an orphan another parent. On Windows the id never changes, and end of input has to do.
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) ending.end();
  }, PARENT_INTERVAL_MS);
  timer.unref();
}

/** The options of {@link serveStdio}. None is required. `Infinity` turns a limit off. */
export interface ServeStdioOptions {
  /** The stream to read requests from. Default `process.stdin`. */
  readonly input?: Readable | undefined;
  /** The stream to write answers to. Default `process.stdout`. */
  readonly output?: Writable | undefined;
  /** The largest message accepted, in bytes; a larger one is answered with an error. Default 4 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /**
   * How many bytes may wait for a client that does not read. Beyond that, the server ends. Default 256 MiB.
   */
  readonly maxQueuedBytes?: number | undefined;
  /**
   * How many requests may be in flight at once. More are refused with -32603. One that was cancelled or timed out counts
   * until its handler has stopped. Default 16384.
   */
  readonly maxInFlight?: number | undefined;
  /**
   * What this process shares with others, so that its client hears of changes that they make. All bindings of a server have the same
   * one. Default: nothing.
   */
  readonly cluster?: Cluster | undefined;
  /** How many milliseconds requests in flight get to finish when the server ends. Default 5000. */
  readonly closeTimeout?: number | undefined;
  /**
   * Whether the process exits when the connection ends, on SIGINT and SIGTERM, and when its parent exits, as clients
   * expect of a server they started. Default true, unless `input` or `output` is given.
   */
  readonly exit?: boolean | undefined;
  /** Cleans up after the last request, before the process exits. It may take up to `closeTimeout`, too. */
  readonly onClose?: (() => void | Promise<void>) | undefined;
}

/** A server that is served over standard streams, as returned by {@link serveStdio}. */
export interface StdioListener {
  /** Waits for requests in flight, within `closeTimeout`, and ends the connection. Closing twice is safe. */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /** Resolves when the connection has ended, for whatever reason. */
  readonly closed: Promise<void>;
}

const STDIO_OPTIONS: OptionNames<ServeStdioOptions> = {
  input: true,
  output: true,
  exit: true,
  onClose: true,
  closeTimeout: true,
  maxMessageBytes: true,
  maxQueuedBytes: true,
  maxInFlight: true,
  cluster: true,
};

/**
 * Serves a server over stdin and stdout, to the process that started this one.
 *
 * From then on, stdout is reserved for the protocol. Whatever else the program prints there goes to stderr, with one
 * warning. The process exits at the end of input, when the pipe breaks, on SIGINT and SIGTERM, and when its parent
 * exits. It finishes requests in flight first, if that is still possible.
 *
 * @example
 * ```ts
 * serveStdio(server);
 * ```
 */
export function serveStdio(server: Server, options: ServeStdioOptions = {}): StdioListener {
  const binding = bindingOf(server, "serveStdio(server)");
  const { input = process.stdin, output = process.stdout } = expectOptions("serveStdio", options, STDIO_OPTIONS);
  expectOption("input", input, typeof (input as Readable | null)?.pipe === "function", "a readable stream");
  expectOption("output", output, typeof (output as Writable | null)?.write === "function", "a writable stream");
  const isOwn = options.input === undefined && options.output === undefined;
  const ownsProcess = expectBoolean("exit", options.exit, isOwn);
  const closeTimeout = expectMilliseconds("closeTimeout", options.closeTimeout, 5000);
  const maxInFlight = expectLimit("maxInFlight", options.maxInFlight, 16_384);
  const cluster = expectCluster("cluster", options.cluster);
  const onClose = expectFunction("onClose", options.onClose ?? (() => undefined));
  const guard = output === process.stdout ? guardOwnStdout(binding) : undefined;

  const channel = createLineChannel(input, guard === undefined ? output : sinkPast(guard, output), {
    side: "server",
    maxMessageBytes: options.maxMessageBytes,
    maxQueuedBytes: options.maxQueuedBytes,
    decode: decodeUtf8,
    schedule: (flush) => process.nextTick(flush),
  });
  const connection = openChannel(binding, channel, {
    binding: "stdio",
    isLocal: true,
    maxInFlight,
    closeTimeout,
    cluster,
  });
  if (ownsProcess) watchProcess({ end: () => void close(), isEnding: () => connection.isClosing });

  if (input === process.stdin && process.stdin.isTTY) {
    binding.diagnose({ level: "info", message: "Waiting for an MCP client on stdin: one JSON-RPC message a line." });
  }

  let closing: Promise<void> | undefined;
  function close(): Promise<void> {
    return (closing ??= end());
  }

  async function end(): Promise<void> {
    await connection.close();
    await withTimeout(closeTimeout, cleanUp(binding, onClose));
    if (ownsProcess) process.exit(0);
    guard?.restore();
    input.pause();
  }

  // However the connection ends, everything else ends with it.
  return { close, closed: connection.closed.then(close), [Symbol.asyncDispose]: close };
}

function guardOwnStdout(binding: ServerBinding): StdoutGuard {
  return guardStdout(process.stdout, process.stderr, () => {
    binding.diagnose({
      level: "warning",
      message:
        "Something other than the MCP server wrote to stdout, which belongs to the protocol here; this and all that " +
        "follows goes to stderr instead. Use console.error for logging.",
    });
  });
}

/** The guarded stdout as a sink for a channel. It is never ended: the program may print after the connection. */
function sinkPast(guard: StdoutGuard, stdout: Writable): TextSink {
  return {
    write: (text) => guard.write(text),
    cork: () => stdout.cork(),
    uncork: () => stdout.uncork(),
    end: (done) => guard.write("", () => done()),
    destroy() {},
    on: (event: string, listener: (...args: never[]) => void) => stdout.on(event, listener as () => void),
  };
}

async function cleanUp(binding: ServerBinding, onClose: () => void | Promise<void>): Promise<void> {
  try {
    await onClose();
  } catch (error) {
    binding.diagnose({ level: "error", message: "onClose failed.", error });
  }
}
