import { MetaKey, type DiscoverResult } from "@toolwire/protocol";
import { defined } from "../define/check-options.ts";
import type { ServedRequest } from "../request/served-request.ts";

/** Answers `server/discover`. */
export function discover({ definition }: ServedRequest): DiscoverResult {
  const { info, revisions, capabilities, instructions, cache, resultMeta } = definition;
  return defined<DiscoverResult>({
    supportedVersions: revisions,
    capabilities,
    instructions,
    ttlMs: cache.discover?.ttlMs,
    cacheScope: cache.discover?.scope,
    // All there is to know about the server, where other results only name it.
    _meta: resultMeta && { [MetaKey.ServerInfo]: info },
  });
}
