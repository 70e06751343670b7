import { TransportError, type CallToolParams } from "@toolwire/protocol";
import { expectDuration, expectFunction, expectLimit, expectOption } from "@toolwire/protocol/internal";
import { REPEATABLE_METHODS } from "../calls/recovery.ts";
import { isRecord } from "../check-options.ts";
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
  expectOption("options", options, isRecord(options), "an object");
  const { tools = [] } = options;
  const attempts = expectLimit("attempts", options.attempts, 3, 0);
  const delay = expectDuration("delay", options.delay ?? 200);
  // `includes` of a string would match any part of it, and call tools again that are not safe.
  const fits = typeof tools === "function" || Array.isArray(tools);
  expectOption("tools", tools, fits, "an array of names, or a function");
  const retryOn = expectFunction("retryOn", options.retryOn ?? failedOnTheWay);
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
