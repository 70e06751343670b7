import { ErrorCode, type CacheableResult, type ListToolsResult, type RpcError } from "@toolwire/protocol";
import type { CallNote } from "../calls/call.ts";
import type { Calls } from "../calls/calls.ts";
import type { FetchOptions } from "../calls/request-options.ts";
import type { Sends } from "../middleware/passage.ts";
import { copyJson } from "./copy-json.ts";
import type { ServerCache } from "./server-cache.ts";

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
