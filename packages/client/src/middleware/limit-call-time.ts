import { TransportError, type CallToolParams } from "@toolwire/protocol";
import { Deadlines, expectDuration } from "@toolwire/protocol/internal";
import { invalidCall, isRecord } from "../check-options.ts";
import type { ClientMiddleware } from "./middleware.ts";

/** The options of {@link limitCallTime}. */
export interface CallTimeLimitOptions {
  /** The limit for any call, in milliseconds. */
  readonly timeout?: number | undefined;
  /** The limits for calls of single tools by name, in milliseconds. */
  readonly tools?: Readonly<Record<string, number>> | undefined;
}

/**
 * Middleware that ends calls that take too long in total, including retries, rounds of questions, and the time that
 * people take to answer. To limit each request instead, use the `timeout` option. All calls share one timer.
 */
export function limitCallTime(options: CallTimeLimitOptions): ClientMiddleware {
  if (!isRecord(options)) throw invalidCall("limitCallTime", "{ timeout, tools }", options);
  const { timeout, tools = {} } = options;
  if (!isRecord(tools)) throw invalidCall("limitCallTime", "{ timeout, tools }", options);
  for (const limit of [timeout, ...Object.values(tools)]) {
    if (limit !== undefined) expectDuration("timeout", limit);
  }
  const deadlines = new Deadlines();
  return async (call, next) => {
    const name = call.method === "tools/call" ? (call.params as CallToolParams).name : undefined;
    const limit = name !== undefined && Object.hasOwn(tools, name) ? tools[name] : timeout;
    if (limit === undefined) return next();
    const watch = {
      deadline: performance.now() + limit,
      expire() {
        const message = `${name ?? call.method} took longer than the ${limit} ms that \`limitCallTime\` allows.`;
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
