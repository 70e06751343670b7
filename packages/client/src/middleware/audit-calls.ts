import { expectOption, isObject } from "@toolwire/protocol/internal";
import { ToolwireError } from "@toolwire/protocol";
import { invalidCall, isRecord } from "../check-options.ts";
import { untilAborted } from "../waiting.ts";
import type { CalledServer, ClientMiddleware } from "./middleware.ts";

/** The record of one call by {@link auditCalls}. */
export interface ClientAuditEntry {
  /** When the call was made. */
  readonly time: Date;
  readonly method: string;
  /** The tool or prompt by name, or the resource by URI. */
  readonly target: string | undefined;
  readonly server: CalledServer;
  /**
   * A copy of the arguments that were sent, after all other middleware, if {@link AuditCallsOptions.includeArguments} is
   * true. If nothing was sent, the arguments that were given.
   */
  readonly arguments: unknown;
  readonly durationMs: number;
  /**
   * `tool-error`: the tool failed; `denied`: nothing was sent; `cancelled`: the caller cancelled it; `timed-out`: it
   * took longer than `timeout`, `maxTimeout` or `limitCallTime` allow; `error`: any other failure.
   */
  readonly outcome: "ok" | "tool-error" | "denied" | "cancelled" | "timed-out" | "error";
  /** A number if the server answered with an error, a string if the error is local. */
  readonly errorCode: number | string | undefined;
}

/** The options of {@link auditCalls}. */
export interface AuditCallsOptions {
  /** The methods to record. Default: all. */
  readonly methods?: readonly string[] | undefined;
  /** Whether to record arguments as well. Default false, because they may contain what no log should. */
  readonly includeArguments?: boolean | undefined;
}

/**
 * Middleware that passes an entry to `write` after every call. Put it first, so that it also records calls that other
 * middleware refuses. The entry contains what the others have changed, too. If `write` fails, the call does not.
 */
export function auditCalls(
  write: (entry: ClientAuditEntry) => unknown,
  options: AuditCallsOptions = {},
): ClientMiddleware {
  if (typeof write !== "function") {
    throw invalidCall("auditCalls", "a function that writes entries first: auditCalls(write, options)", write);
  }
  expectOption("options", options, isRecord(options), "an object");
  const { methods, includeArguments = false } = options;
  // `includes` of a string would match any part of it.
  expectOption("methods", methods, methods === undefined || Array.isArray(methods), "an array of names");
  return async (call, next) => {
    if (methods?.includes(call.method) === false) return next();
    const { method, server } = call;
    const time = new Date();
    const start = performance.now();
    let outcome: ClientAuditEntry["outcome"] = "ok";
    let errorCode: ClientAuditEntry["errorCode"];
    try {
      // Inner middleware, such as one that waits for a user, may never settle after the call was aborted.
      const result = await untilAborted(next(), call.options.signal);
      if ((result as { readonly isError?: unknown }).isError === true) outcome = "tool-error";
      return result;
    } catch (error) {
      if (error instanceof ToolwireError) errorCode = error.code;
      outcome = outcomeOf(errorCode, call.options.signal);
      throw error;
    } finally {
      const params = call.sent() ?? call.params;
      const given = isObject(params) ? params : {};
      const target = [given["name"], given["uri"]].find((value) => typeof value === "string");
      const args = includeArguments ? copyAsSent(given["arguments"]) : undefined;
      const durationMs = performance.now() - start;
      void tryWrite(write, { time, method, target, server, arguments: args, durationMs, outcome, errorCode });
    }
  };
}

/** How a call has failed. The error tells more than the signal, which `limitCallTime` aborts as well. */
function outcomeOf(
  errorCode: ClientAuditEntry["errorCode"],
  signal: AbortSignal | undefined,
): ClientAuditEntry["outcome"] {
  if (errorCode === "DENIED") return "denied";
  if (errorCode === "TIMEOUT") return "timed-out";
  return signal?.aborted === true ? "cancelled" : "error";
}

/** Copies arguments through JSON, as the server gets them; `undefined` if JSON cannot express them. */
export function copyAsSent(args: unknown): unknown {
  try {
    return args === undefined ? undefined : JSON.parse(JSON.stringify(args));
  } catch {
    return undefined;
  }
}

async function tryWrite(write: (entry: ClientAuditEntry) => unknown, entry: ClientAuditEntry): Promise<void> {
  try {
    await write(entry);
  } catch {
    // A log that fails must not fail what it logs.
  }
}
