/// <reference lib="esnext.disposable" preserve="true" />
import { createLineChannel, resolveLimit, resolveMilliseconds, type TextSink } from "@toolwire/protocol/channels";
import type { Readable, Writable } from "node:stream";
import { expectFunction } from "../definition/expect-option.ts";
import type { Serving } from "../serving/contract.ts";
import { serveChannel } from "../channel/serve-channel.ts";
import { within } from "../serving/within.ts";
import { watchProcess } from "./process-watch.ts";
import { guardStdout, type StdoutGuard } from "./stdout-guard.ts";
import { decodeUtf8 } from "./utf8.ts";

/** How a server is served over standard streams. No option is needed. `Infinity` switches a limit off. */
export interface ServeStdioOptions {
  /** Where requests come from. Default `process.stdin`. */
  readonly input?: Readable | undefined;
  /** Where answers go to. Default `process.stdout`. */
  readonly output?: Writable | undefined;
  /** The largest message accepted, in bytes; a larger one is answered with an error. Default 4 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How much may wait for a client that does not read, in UTF-16 code units; then the server ends. Default 256 Mi. */
  readonly maxQueuedBytes?: number | undefined;
  /** How many requests may be in the works at once; more are refused. Default 16384. */
  readonly maxInFlight?: number | undefined;
  /** How long requests in the works may take to finish once the server has to end, in milliseconds. Default 5000. */
  readonly closeTimeout?: number | undefined;
  /**
   * Whether the process ends with the connection, on SIGINT and SIGTERM, and with its parent, as clients expect of a
   * server they have started. Default true, unless `input` or `output` is given.
   */
  readonly exit?: boolean | undefined;
  /** Cleans up after the last request, before the process ends. It may take `closeTimeout` too. */
  readonly onClose?: (() => void | Promise<void>) | undefined;
}

/** A server being served over standard streams. */
export interface StdioServing {
  /** Lets requests in the works finish, within `closeTimeout`, and ends the connection. Closing twice is safe. */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /** Resolves when the connection has ended, for whatever reason. */
  readonly closed: Promise<void>;
}

/**
 * Serves a server to the process that has started this one, over stdin and stdout.
 *
 * From here on stdout belongs to the protocol: whatever else the program prints there goes to stderr, with one warning.
 * The process ends at the end of input, when the pipe breaks, on SIGINT and SIGTERM, and when its parent dies; requests
 * in the works are finished first, if they still can be.
 *
 * @example
 * ```ts
 * serveStdio(server);
 * ```
 */
export function serveStdio(server: Serving, options: ServeStdioOptions = {}): StdioServing {
  const { input = process.stdin, output = process.stdout } = options;
  const ownsProcess = options.exit ?? (options.input === undefined && options.output === undefined);
  const closeTimeout = resolveMilliseconds("closeTimeout", options.closeTimeout, 5000);
  const maxInFlight = resolveLimit("maxInFlight", options.maxInFlight, 16_384);
  const onClose = expectFunction("onClose", options.onClose ?? (() => undefined));
  const guard = output === process.stdout ? guardOwnStdout(server) : undefined;

  const channel = createLineChannel(input, guard === undefined ? output : sinkPast(guard, output), {
    side: "server",
    maxMessageBytes: options.maxMessageBytes,
    maxQueuedBytes: options.maxQueuedBytes,
    decode: decodeUtf8,
    schedule: (flush) => process.nextTick(flush),
    onEnd() {
      connection.stopAsking();
      void close();
    },
  });
  const connection = serveChannel(server, channel, {
    binding: "stdio",
    maxInFlight,
    closeTimeout,
  });
  if (ownsProcess) watchProcess({ end: () => void close(), isEnding: () => closing !== undefined });

  if (input === process.stdin && process.stdin.isTTY) {
    server.diagnose({ level: "info", message: "Waiting for an MCP client on stdin: one JSON-RPC message a line." });
  }

  let closing: Promise<void> | undefined;
  function close(): Promise<void> {
    return (closing ??= end());
  }

  async function end(): Promise<void> {
    await connection.close();
    await within(closeTimeout, cleanUp(server, onClose));
    if (ownsProcess) process.exit(0);
    guard?.restore();
    input.pause();
  }

  // However the connection ends, everything else ends with it.
  return { close, closed: connection.closed.then(close), [Symbol.asyncDispose]: close };
}

function guardOwnStdout(server: Serving): StdoutGuard {
  return guardStdout(process.stdout, process.stderr, () => {
    server.diagnose({
      level: "warning",
      message:
        "Something other than the MCP server wrote to stdout, which belongs to the protocol here; this and all that " +
        "follows goes to stderr instead. Use console.error for logging.",
    });
  });
}

/** The guarded stdout as a channel needs it. It is never ended: the program may want to print after the connection. */
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

async function cleanUp(server: Serving, onClose: () => void | Promise<void>): Promise<void> {
  try {
    await onClose();
  } catch (error) {
    server.diagnose({ level: "error", message: "onClose failed.", error });
  }
}
