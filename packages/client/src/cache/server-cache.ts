import {
  type CacheableResult,
  ErrorCode,
  type ListToolsResult,
  type NotificationMessage,
  type RpcError,
} from "@toolwire/protocol";
import { copyJson, createResultCache, type ResultCache } from "./result-cache.ts";
import type { CallNote } from "../calls/call.ts";
import type { Calls } from "../calls/calls.ts";
import type { FetchOptions } from "../calls/options.ts";
import type { Sends } from "../middleware/run-middleware.ts";

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

/** Results of more characters than this are asked for anew rather than kept. */
const MAX_KEPT_LENGTH = 1_000_000;

/**
 * What of one server's answers may be used again (2026-07-28, "Caching"). Legacy servers give no hints, so nothing is.
 */
export class ServerCache {
  readonly #store: ResultCache;
  readonly #server: string;
  readonly #principal: () => string | undefined;
  /** Grows whenever something is dropped: what was asked for before that may be outdated when it comes. */
  #generation = 0;

  /** `mayVary`: requests may be sent with the credentials of various users. */
  constructor(server: string | undefined, options: CacheOptions, mayVary: boolean) {
    // By chance, as a store may be shared with clients of other processes.
    const own = `#${crypto.getRandomValues(new Uint32Array(4)).join()}`;
    const { principal } = options;
    this.#store = options.store ?? createResultCache();
    // Without a name, the server cannot be recognised as the one of another client.
    this.#server = server ?? own;
    // Without a name for whoever it is, private results stay with this client, which nobody's name can be taken for.
    this.#principal = () => {
      const name = typeof principal === "function" ? principal() : principal;
      if (typeof name === "string") return `@${name}`;
      return mayVary ? undefined : own;
    };
  }

  /** What must be the same when a result comes as when it was asked for: else it is outdated, or somebody else's. */
  get moment(): string {
    return `${this.#generation} ${this.#principal()}`;
  }

  /** What is kept, which others are given, too: to be read, and handed out as a copy. */
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
    // Whoever asked for it may do with it what they like, without anybody else seeing that.
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

  /** Drops everything that this server returned, or one method of it, or that about one thing. */
  drop(method?: string, about?: string): void {
    this.#generation++;
    this.#store.drop(this.#key(method, about));
  }

  /**
   * What a result is kept under, or, without the later parts, how the keys of several begin. JSON leaves no line breaks
   * in a string, so that no part can be taken for another.
   */
  #key(...parts: readonly (string | undefined)[]): string {
    return [this.#server, ...parts].map((part) => (part === undefined ? "" : `${JSON.stringify(part)}\n`)).join("");
  }
}

/** What a request can be about whose result is kept. */
interface About {
  readonly uri?: string;
  readonly cursor?: string;
}

/**
 * Sends requests for what may have been kept from before. Below all middleware: what is kept is what the server said, to be
 * shared with clients that have other middleware.
 */
export function cachedCalls(cache: ServerCache, calls: Calls): Sends {
  return {
    async send(method, params, options, spent) {
      const { uri, cursor, ...more } = params as About;
      // Metadata is part of a request, and nobody knows of which keys a server makes something.
      if (Object.keys(more).length > 0) return calls.send(method, params, options, spent);
      const about = uri ?? JSON.stringify([cursor]);
      const kept = (options as FetchOptions).fresh ? undefined : cache.find(method, about);
      if (kept) {
        // What another client has fetched is news to this one.
        return method === "tools/list" ? calls.learnTools(kept as ListToolsResult) : copyJson(kept);
      }
      const { moment } = cache;
      const note: CallNote = {};
      try {
        const result = await calls.send(method, params, options, spent, note);
        if (!note.wasAnswered) cache.keep(method, about, result as CacheableResult, moment);
        return result;
      } catch (error) {
        // A cursor that is not valid any more makes the pages around it doubtful.
        if (cursor !== undefined && (error as Partial<RpcError>).code === ErrorCode.InvalidParams) cache.drop(method);
        throw error;
      }
    },
  };
}
