import { isObject, ToolwireError } from "@toolwire/protocol";
import type { CalledServer, Middleware } from "./middleware.ts";

/** What became of one call. */
export interface AuditEntry {
  /** When it was made. */
  readonly time: Date;
  readonly method: string;
  /** The tool or prompt by name, or the resource by URI. */
  readonly target: string | undefined;
  readonly server: CalledServer;
  /** What was sent, if {@link AuditLogOptions.includeArguments} asks for it. */
  readonly arguments: unknown;
  readonly durationMs: number;
  /** `tool-error`: the tool says that it failed; `denied`: nothing was sent; `error`: anything else went wrong. */
  readonly outcome: "ok" | "tool-error" | "denied" | "cancelled" | "error";
  /** A number if the server answered with an error, a string if it arose on this side. */
  readonly errorCode: number | string | undefined;
}

/** What is written down. */
export interface AuditLogOptions {
  /** Which methods; all unless given. */
  readonly methods?: readonly string[] | undefined;
  /** Arguments as well. Default false: they may hold what no log should. */
  readonly includeArguments?: boolean | undefined;
}

/**
 * Hands an entry on every call to `write`, once it is over. Put it first, so that it sees what others refuse. If `write`
 * fails, the call does not.
 */
export function auditLog(write: (entry: AuditEntry) => unknown, options: AuditLogOptions = {}): Middleware {
  const { methods, includeArguments = false } = options;
  return async (call, next) => {
    if (methods?.includes(call.method) === false) return next();
    const { method, params, server } = call;
    const time = new Date();
    const start = performance.now();
    let outcome: AuditEntry["outcome"] = "ok";
    let errorCode: AuditEntry["errorCode"];
    try {
      const result = await next();
      if ((result as { readonly isError?: unknown }).isError === true) outcome = "tool-error";
      return result;
    } catch (error) {
      if (error instanceof ToolwireError) errorCode = error.code;
      if (errorCode === "DENIED") outcome = "denied";
      else outcome = call.options.signal?.aborted === true ? "cancelled" : "error";
      throw error;
    } finally {
      const given = isObject(params) ? params : {};
      const target = [given["name"], given["uri"]].find((value) => typeof value === "string");
      const args = includeArguments ? given["arguments"] : undefined;
      const durationMs = performance.now() - start;
      void tryWrite(write, { time, method, target, server, arguments: args, durationMs, outcome, errorCode });
    }
  };
}

async function tryWrite(write: (entry: AuditEntry) => unknown, entry: AuditEntry): Promise<void> {
  try {
    await write(entry);
  } catch {
    // A log that fails must not fail what it logs.
  }
}
