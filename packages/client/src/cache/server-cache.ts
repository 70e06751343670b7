import {
  type CacheableResult,
  ErrorCode,
  type ListToolsResult,
  type NotificationMessage,
  type RpcError,
} from "@toolwire/protocol";
import { copyJson } from "../messages/json.ts";
import { createResultCache, type ResultCache } from "./result-cache.ts";
import type { CallNote } from "../calls/call.ts";
import type { Calls, CallSender } from "../calls/calls.ts";
import type { FetchOptions } from "../call-options.ts";

/** How results are cached. */
export interface CacheOptions {
  /**
   * Identifies the user for whom this client acts; a function if that changes while it is connected. Private results
   * are never used for another principal. Without it, only this client uses them, or nobody if `headers` is a function
   * or there is a `fetch` of your own: every request may then have the credentials of another user.
   */
  readonly principal?: string | (() => string | undefined) | undefined;
  /** A cache to share with other clients, made by {@link createResultCache}. Default: each client has its own. */
  readonly store?: ResultCache | undefined;
}

/** Results of more characters than this are not kept. */
const MAX_KEPT_LENGTH = 1_000_000;

/** The results of one server that may be used again (2026-07-28, "Caching"). Without hints of the server, nothing is kept. */
export class ServerCache {
  readonly #store: ResultCache;
  readonly #server: string;
  readonly #principal: () => string | undefined;
  /** Counts drops: the result of a request that was sent before a drop may be outdated. */
  #generation = 0;

  /** `mayVary`: requests may be sent with the credentials of various users. */
  constructor(server: string | undefined, options: CacheOptions, mayVary: boolean) {
    // A random name, because a store may be shared with clients of other processes.
    const own = `#${crypto.getRandomValues(new Uint32Array(4)).join()}`;
    const { principal } = options;
    this.#store = options.store ?? createResultCache();
    // Without an identity, the server cannot be recognised as that of another client.
    this.#server = server ?? own;
    // Without a principal, private results stay with this client. No principal can be confused with its random name.
    this.#principal = () => {
      const name = typeof principal === "function" ? principal() : principal;
      if (typeof name === "string") return `@${name}`;
      return mayVary ? undefined : own;
    };
  }

  /** A result is kept only if this is the same as when it was requested: else it is outdated, or another user's. */
  get moment(): string {
    return `${this.#generation} ${this.#principal()}`;
  }

  /** Finds a kept result. It is shared: do not change it, and hand out copies. */
  find(method: string, about: string): object | undefined {
    return this.#store.get(this.#key(method, about)) ?? this.#store.get(this.#key(method, about, this.#principal()));
  }

  /**
   * Keeps a result if its server allows it, and if nothing was dropped, nor the principal changed, since it was asked
   * for.
   */
  keep(method: string, about: string, result: CacheableResult, moment: string): void {
    const { ttlMs, cacheScope } = result;
    if (typeof ttlMs !== "number" || !(ttlMs > 0) || moment !== this.moment) return;
    // A copy, because the caller may change its result.
    const kept = copyJson(result);
    if (kept === result || JSON.stringify(kept).length > MAX_KEPT_LENGTH) return;
    const isPublic = cacheScope === "public";
    const owner = isPublic ? undefined : this.#principal();
    if (isPublic || owner !== undefined) this.#store.set(this.#key(method, about, owner), kept, ttlMs);
  }

  /** Drops what a notification says is outdated. */
  hear({ method, params }: NotificationMessage): void {
    const [, kind, what] = method.split("/");
    if (what === "list_changed") this.drop(`${kind}/list`);
    if (method === "notifications/resources/list_changed") this.drop("resources/templates/list");
    if (method === "notifications/resources/updated") {
      this.drop("resources/read", (params as { readonly uri?: string } | undefined)?.uri);
    }
  }

  /** Drops all results of this server, those of one method, or those of one method about one thing. */
  drop(method?: string, about?: string): void {
    this.#generation++;
    this.#store.drop(this.#key(method, about));
  }

  /**
   * Makes the key of a result, or, without the later parts, the prefix of several keys. JSON strings have no line breaks, so
   * parts cannot be confused.
   */
  #key(...parts: readonly (string | undefined)[]): string {
    return [this.#server, ...parts].map((part) => (part === undefined ? "" : `${JSON.stringify(part)}\n`)).join("");
  }
}

/** The parameters of requests whose results are kept. */
interface About {
  readonly uri?: string;
  readonly cursor?: string;
}

/**
 * Sends requests whose results may be in the cache. It is below all middleware: the cache holds results as the server sent
 * them, to share them with clients that have other middleware.
 */
export function cachedCalls(cache: ServerCache, calls: Calls): CallSender {
  return {
    async send(method, params, options, spent) {
      const { uri, cursor, ...more } = params as About;
      // A server may respond differently to requests with `_meta`.
      if (Object.keys(more).length > 0) return calls.send(method, params, options, spent);
      const about = uri ?? JSON.stringify([cursor]);
      const kept = (options as FetchOptions).fresh ? undefined : cache.find(method, about);
      if (kept) {
        // Another client may have fetched the tools, so this one has to learn them.
        return method === "tools/list" ? calls.tools.learn(kept as ListToolsResult) : copyJson(kept);
      }
      const { moment } = cache;
      const note: CallNote = {};
      try {
        const result = await calls.send(method, params, options, spent, note);
        if (!note.wasAnswered) cache.keep(method, about, result as CacheableResult, moment);
        return result;
      } catch (error) {
        // If a cursor is no longer valid, the other pages may be outdated.
        if (cursor !== undefined && (error as Partial<RpcError>).code === ErrorCode.InvalidParams) cache.drop(method);
        throw error;
      }
    },
  };
}
