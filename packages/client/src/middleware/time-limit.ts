import { TransportError, type CallToolParams } from "@toolwire/protocol";
import { Deadlines } from "@toolwire/protocol/engine";
import { isLimit } from "../guard-rails.ts";
import { explain } from "../mistakes.ts";
import type { Middleware } from "./middleware.ts";

/** How long is too long. */
export interface TimeLimitOptions {
  /** Milliseconds for any call. */
  readonly ms?: number | undefined;
  /** Milliseconds for calls of single tools, by name. */
  readonly tools?: Readonly<Record<string, number>> | undefined;
}

/**
 * Ends calls that take too long as a whole: with retries, rounds of questions, and the time people take to answer them.
 * For a limit on each request alone, there is the `timeout` option. All calls share one timer.
 */
export function timeLimit(options: TimeLimitOptions): Middleware {
  if (Object(options) !== options) throw explain("timeLimit", options);
  const { ms, tools = {} } = options;
  for (const given of [ms, ...Object.values(tools)]) if (!isLimit(given)) throw explain("ms", given);
  const deadlines = new Deadlines();
  return async (call, next) => {
    const name = call.method === "tools/call" ? (call.params as CallToolParams).name : undefined;
    const limit = name !== undefined && Object.hasOwn(tools, name) ? tools[name] : ms;
    if (limit === undefined) return next();
    const watch = {
      deadline: performance.now() + limit,
      expire() {
        const message = `${name ?? call.method} took longer than the ${limit} ms that \`timeLimit\` allows.`;
        call.abort(new TransportError("TIMEOUT", message));
      },
    };
    deadlines.add(watch);
    try {
      return await next();
    } finally {
      deadlines.delete(watch);
    }
  };
}
