import { MetaKey, type DiscoverResult } from "@toolwire/protocol";
import { copyJson } from "../cache/copy-json.ts";
import type { Agreement } from "../negotiation/agreement.ts";

/** What a legacy server has said of itself in the handshake, as a modern one answers `server/discover`. A copy. */
export function toDiscovery({ server, capabilities, instructions, supportedVersions }: Agreement): DiscoverResult {
  const said: DiscoverResult = {
    supportedVersions,
    capabilities,
    ...(instructions !== undefined && { instructions }),
    ...(server !== undefined && { _meta: { [MetaKey.ServerInfo]: server } }),
  };
  return copyJson(said);
}
