import { TransportError, type CallToolParams } from "@toolwire/protocol";
import { REPEATABLE_METHODS } from "../calls/recovery.ts";
import { invalidArgument, isLimit, isRecord } from "../check-options.ts";
import { isTemporary } from "../transports/refusal.ts";
import { wait } from "../waiting.ts";
import type { ClientMiddleware, OutgoingCall } from "./middleware.ts";

/** The options of {@link retry}. */
export interface RetryOptions {
  /** How many times a call is sent at most, including the first. Default 3. */
  readonly attempts?: number | undefined;
  /**
   * The longest first delay in milliseconds. The limit doubles with each attempt; delays are random below it. Default
   * 200.
   */
  readonly delay?: number | undefined;
  /**
   * The names of tools that are safe to call again. Default: none. What a server says about its tools is not trusted
   * here, because a repeated call may not be undone.
   */
  readonly tools?: readonly string[] | ((name: string) => boolean) | undefined;
  /**
   * Decides after which errors to retry. Default: errors of the connection, and of servers that are too busy or slow to
   * answer.
   */
  readonly retryOn?: ((error: unknown) => boolean) | undefined;
}

/** Middleware that retries calls after a connection failure, if they are safe to repeat. */
export function retry(options: RetryOptions = {}): ClientMiddleware {
  if (!isRecord(options)) throw invalidArgument("options", "must be an object", options);
  const { attempts = 3, delay = 200, tools = [], retryOn = failedOnTheWay } = options;
  if (!isLimit(attempts)) throw invalidArgument("attempts", "must be a number, 0 or more", attempts);
  if (!isLimit(delay)) throw invalidArgument("delay", "must be a number of milliseconds, or Infinity", delay);
  // `includes` of a string would match any part of it, and call tools again that are not safe.
  if (typeof tools !== "function" && !Array.isArray(tools)) {
    throw invalidArgument("tools", "must be an array of names, or a function", tools);
  }
  if (typeof retryOn !== "function") throw invalidArgument("retryOn", "must be a function", retryOn);
  return async (call, next) => {
    if (!isSafe(call, tools)) return next();
    for (let attempt = 1; ; attempt++) {
      try {
        return await next();
      } catch (error) {
        if (attempt >= attempts || call.options.signal?.aborted === true || !retryOn(error)) throw error;
        await wait(Math.random() * delay * 2 ** (attempt - 1), call.options.signal);
      }
    }
  };
}

function isSafe({ method, params }: OutgoingCall, tools: NonNullable<RetryOptions["tools"]>): boolean {
  if (method !== "tools/call") return REPEATABLE_METHODS.has(method);
  const { name } = params as CallToolParams;
  return typeof tools === "function" ? tools(name) : tools.includes(name);
}

/** The connection failed, or the server was too busy to look at the request. */
function failedOnTheWay(error: unknown): boolean {
  return isTemporary(error) || (error instanceof TransportError && FAILURES.has(error.code));
}

const FAILURES: ReadonlySet<string> = new Set([
  "CONNECT_FAILED",
  "CONNECTION_LOST",
  "OVERLOADED",
  "SESSION_EXPIRED",
  "TIMEOUT",
]);
