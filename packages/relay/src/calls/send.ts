import type { Client, RequestOptions } from "@toolwire/client";
import { LOGGING_LEVELS } from "@toolwire/protocol";
import type { ClientCapabilities, LoggingLevel } from "@toolwire/server";
import { metaForUpstream } from "../text/meta.ts";
import type { CallTarget, RelayedRequest } from "./target.ts";
import { taskOf, TASKS_EXTENSION } from "./task-support.ts";

/** The connection over which a request is sent. */
export interface Way {
  readonly client: Client;
  /** Whether no other call uses it meanwhile. */
  readonly isLeased: boolean;
  /** The capabilities of the caller, for a modern server that may ask by an interim result. */
  readonly capabilities?: ClientCapabilities | undefined;
}

/** Sends one request for a caller, and passes on progress, log messages and cancellation. Resolves to the result as it is. */
export function send(
  target: CallTarget,
  { client, isLeased, capabilities }: Way,
  { method, params, ctx, known, tasks }: RelayedRequest,
): Promise<object> {
  const { timeout, maxTimeout, clear } = target;
  const given = ctx._meta;
  const takesTask = tasks === "extension" && client.era === "modern";
  const declared = takesTask && capabilities !== undefined ? withTasks(capabilities) : capabilities;
  const _meta = metaForUpstream(given, declared);
  const resultTypes = [...(capabilities === undefined ? [] : ["input_required"]), ...(takesTask ? ["task"] : [])];
  // A tool that demands it is called as a task anyhow, by the client's extension.
  const isLegacyTask = client.era === "legacy" && tasks !== undefined && taskOf(ctx)?.id !== undefined;
  const options: { -readonly [Name in keyof RequestOptions]: RequestOptions[Name] } = {
    signal: ctx.signal,
    timeout,
    // A task of ours ends when its own time is up.
    maxTimeout: isLegacyTask ? Infinity : maxTimeout,
    ...(_meta !== undefined && { _meta }),
    ...(resultTypes.length > 0 && { resultTypes }),
  };
  if (given.progressToken !== undefined) {
    options.onProgress = ({ progress, total, message }) => ctx.progress(progress, total, clear(message, known));
  }
  const { logLevel } = ctx;
  if (logLevel !== undefined) {
    // Asked for each message: another principal may begin to use the connection at any time.
    options.onLog = ({ level, data, logger }) => {
      if (isLeased || !target.connections.mixesLogs(client)) ctx.log(level, clear(data, known), clear(logger, known));
    };
    options.logLevel = logLevel;
    if (client.era === "legacy") lowerLogLevel(client, logLevel);
  }
  // The client's extension waits for the result of a task of 2025-11-25.
  return client.request(method as string, isLegacyTask ? { ...params, task: {} } : params, options);
}

function withTasks({ extensions, ...capabilities }: ClientCapabilities): ClientCapabilities {
  return { ...capabilities, extensions: { ...extensions, [TASKS_EXTENSION]: {} } };
}

/** The lowest severity that legacy servers were asked for, by connection: it is one for all calls. */
const logLevels = new WeakMap<Client, LoggingLevel>();

function lowerLogLevel(client: Client, wanted: LoggingLevel): void {
  const current = logLevels.get(client);
  const isLow = current !== undefined && LOGGING_LEVELS.indexOf(current) <= LOGGING_LEVELS.indexOf(wanted);
  if (isLow || client.capabilities.logging === undefined) return;
  logLevels.set(client, wanted);
  // A server that refuses this sends what it likes.
  client.setLogLevel(wanted).catch(() => undefined);
}
