import { RpcError } from "@toolwire/protocol";
import {
  expectBoolean,
  expectChoice,
  expectCount,
  expectFunction,
  expectLimit,
  expectOption,
  expectOptions,
  type OptionNames,
} from "@toolwire/protocol/internal";
import type { RequestCall, ServerMiddleware, ServerNext } from "../define/middleware.ts";
import { ToolError, Unavailable } from "../errors.ts";
import { SharedLimit } from "./shared-limit.ts";

/** The options of {@link rateLimit}. */
export interface RateLimitOptions {
  /** How many requests a caller may make within the window. All of them may come at once. `Infinity` for no limit. */
  readonly limit: number;
  /** The length of the window in milliseconds, a whole number. `Infinity` is not allowed. Default 60 000. */
  readonly window?: number | undefined;
  /** Which requests count. Default `["tools/call"]`; `"all"` counts everything. */
  readonly methods?: readonly string[] | "all" | undefined;
  /** Whether to count each tool separately. Default false: all calls of a caller count together. */
  readonly perTool?: boolean | undefined;
  /**
   * Identifies the caller of a request. Default: the principal, or the connection if there is none. In `createHttpHandler`,
   * clients without a principal or a session have no connection to tell them apart, and are one caller.
   */
  readonly caller?: ((call: RequestCall) => string | object) | undefined;
  /**
   * Names the counters in a cluster. There, callers with a name, such as principals, are counted over all nodes; each server counts on its
   * own. Limits of one server need different names. Default: made of `limit`, `window`, `methods` and `perTool`.
   */
  readonly name?: string | undefined;
  /**
   * What happens to requests while the engine of the cluster cannot count: `"local"` counts those of this node, `"allow"` lets all
   * through, `"refuse"` none. Default `"local"`.
   */
  readonly onStoreDown?: "local" | "allow" | "refuse" | undefined;
  /** How many callers to remember. Beyond that, the least recent ones are forgotten. Default 10 000. */
  readonly maxCallers?: number | undefined;
  /** A clock that returns milliseconds, for tests. Default `performance.now`. */
  readonly now?: (() => number) | undefined;
}

const RATE_LIMIT_OPTIONS: OptionNames<RateLimitOptions> = {
  limit: true,
  window: true,
  methods: true,
  perTool: true,
  caller: true,
  name: true,
  onStoreDown: true,
  maxCallers: true,
  now: true,
};

/** The code of the error for too many requests, outside of the range that the protocol reserves. */
const TOO_MANY_REQUESTS = 429;

/**
 * Middleware that limits the requests of a caller with a token bucket: short bursts pass, and tokens refill evenly. In a cluster,
 * the requests of a principal count over all nodes. A refused tool call is a result that the model can read. Other requests get error 429 with `retryAfterMs`.
 */
export function rateLimit(options: RateLimitOptions): ServerMiddleware {
  const { methods = ["tools/call"] } = expectOptions("rateLimit", options, RATE_LIMIT_OPTIONS);
  const perTool = expectBoolean("perTool", options.perTool, false);
  expectOption("methods", methods, methods === "all" || Array.isArray(methods), 'a list of methods, or "all"');
  const now = expectFunction("now", options.now ?? (() => performance.now()));
  const limit = expectLimit("limit", options.limit);
  const window = expectCount("window", options.window ?? 60_000);
  const buckets = new Buckets(limit, limit / window, expectLimit("maxCallers", options.maxCallers, 10_000));
  const callerOf = expectFunction("caller", options.caller ?? callerBehind);
  const onStoreDown = expectChoice("onStoreDown", ["local", "allow", "refuse"], options.onStoreDown);
  const { name = JSON.stringify([limit, window, methods, perTool]) } = options;
  const shared = new SharedLimit(expectOption("name", name, isName(name), "text"), limit, window);
  return (call, next) => {
    if (limit === Infinity || (methods !== "all" && !methods.includes(call.method))) return next();
    // A task that goes on was counted when it was called.
    if (call.isDetached) return next();
    const caller = callerOf(call);
    // Only existing tools have counters of their own: with made-up names, a caller would get any number of limits.
    const tool = perTool ? (call.tool?.name ?? "") : "";
    const takeLocally = (): number => buckets.take(caller, tool, now());
    if (call.limits === undefined || typeof caller !== "string") return admit(call, takeLocally(), next);
    return shared.take(call.limits, caller, tool).then((waitMs) => {
      if (waitMs !== undefined) return admit(call, waitMs, next);
      if (onStoreDown === "refuse") throw new Unavailable();
      return admit(call, onStoreDown === "allow" ? 0 : takeLocally(), next);
    });
  };
}

function isName(name: unknown): boolean {
  return typeof name === "string" && name !== "";
}

/** Continues with a request, or refuses it. */
function admit(call: RequestCall, waitMs: number, next: ServerNext): Promise<object> {
  if (waitMs === 0) return next();
  const message = `Too many requests: try again in ${Math.ceil(waitMs / 1000)} seconds.`;
  if (call.method === "tools/call") throw new ToolError(message);
  throw new RpcError(TOO_MANY_REQUESTS, message, { data: { retryAfterMs: Math.ceil(waitMs) } });
}

function callerBehind({ context, origin }: RequestCall): string | object {
  return context.principal?.id ?? origin.connection;
}

interface Bucket {
  tokens: number;
  updated: number;
}

class Buckets {
  readonly #capacity: number;
  readonly #perMs: number;
  readonly #maxCallers: number;
  /** The buckets of named callers, the most recent last. Those of connections are dropped with the connection. */
  readonly #named = new Map<string, Map<string, Bucket>>();
  readonly #connections = new WeakMap<object, Map<string, Bucket>>();

  constructor(capacity: number, perMs: number, maxCallers: number) {
    this.#capacity = capacity;
    this.#perMs = perMs;
    this.#maxCallers = maxCallers;
  }

  /** Takes a token. Returns 0, or the milliseconds until there is one. */
  take(caller: string | object, tool: string, now: number): number {
    const own = this.#of(caller);
    let bucket = own.get(tool);
    if (bucket === undefined) own.set(tool, (bucket = { tokens: this.#capacity, updated: now }));
    bucket.tokens = Math.min(this.#capacity, bucket.tokens + Math.max(0, now - bucket.updated) * this.#perMs);
    bucket.updated = now;
    if (bucket.tokens < 1) return (1 - bucket.tokens) / this.#perMs;
    bucket.tokens -= 1;
    return 0;
  }

  #of(caller: string | object): Map<string, Bucket> {
    if (typeof caller === "object") {
      let own = this.#connections.get(caller);
      if (own === undefined) this.#connections.set(caller, (own = new Map<string, Bucket>()));
      return own;
    }
    const own = this.#named.get(caller) ?? new Map<string, Bucket>();
    this.#named.delete(caller);
    this.#named.set(caller, own);
    if (this.#named.size > this.#maxCallers) {
      const [quietest] = this.#named.keys();
      if (quietest !== undefined) this.#named.delete(quietest);
    }
    return own;
  }
}
