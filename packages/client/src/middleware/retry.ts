import { TransportError, type CallToolParams } from "@toolwire/protocol";
import { isPutOff } from "../connection/put-off.ts";
import { isLimit } from "../guard-rails.ts";
import { explain } from "../mistakes.ts";
import { wait } from "../waiting.ts";
import type { Middleware, OutgoingCall } from "./middleware.ts";

/** When to send a call again. */
export interface RetryOptions {
  /** How often a call is sent at most, the first time included. Default 3. */
  readonly attempts?: number | undefined;
  /** Milliseconds that the first wait is at most; each further one may be twice as long. Default 200. */
  readonly delay?: number | undefined;
  /**
   * Tools that may be called again because doing so changes nothing, by name. None unless given: what a tool says about
   * itself is the word of its server, and no reason to repeat what cannot be taken back.
   */
  readonly tools?: readonly string[] | ((name: string) => boolean) | undefined;
  /** Decides which failures are worth it. Default: those of the connection, and of servers too busy or slow to answer. */
  readonly retryOn?: ((error: unknown) => boolean) | undefined;
}

/** Requests that change nothing, so that sending them again can do no harm. */
const SAFE: ReadonlySet<string> = new Set([
  "server/discover",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "ping",
]);

/** Middleware that sends a call again when the connection failed under it, if it is one that is safe to repeat. */
export function retry(options: RetryOptions = {}): Middleware {
  const { attempts = 3, delay = 200, tools = [], retryOn = failedOnTheWay } = options;
  if (!isLimit(attempts)) throw explain("attempts", attempts);
  if (!isLimit(delay)) throw explain("delay", delay);
  // A text would be searched for any part of itself, and tools be called again that nobody meant.
  if (typeof tools !== "function" && !Array.isArray(tools)) throw explain("tools", tools);
  if (typeof retryOn !== "function") throw explain("retryOn", retryOn);
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
  if (method !== "tools/call") return SAFE.has(method);
  const { name } = params as CallToolParams;
  return typeof tools === "function" ? tools(name) : tools.includes(name);
}

/** The connection failed, or the server was too busy to look at the request. */
function failedOnTheWay(error: unknown): boolean {
  return isPutOff(error) || (error instanceof TransportError && FAILURES.has(error.code));
}

const FAILURES: ReadonlySet<string> = new Set(["CONNECT_FAILED", "CONNECTION_LOST", "OVERLOADED", "TIMEOUT"]);
