import { MetaKey, type DiscoverResult } from "@toolwire/protocol";
import type { ServedRequest } from "../request/served-request.ts";

/** Answers `server/discover`. */
export function discover({ definition }: ServedRequest): DiscoverResult {
  const { info, revisions, capabilities, instructions, cache, resultMeta } = definition;
  return {
    supportedVersions: revisions,
    capabilities,
    ...(instructions !== undefined && { instructions }),
    ttlMs: cache.discover?.ttlMs ?? 0,
    cacheScope: cache.discover?.scope ?? "private",
    // All there is to know about the server, where other results only name it.
    ...(resultMeta !== undefined && { _meta: { [MetaKey.ServerInfo]: info } }),
  };
}
