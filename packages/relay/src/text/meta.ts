import type { ClientCapabilities, Meta } from "@toolwire/protocol";
import { MetaKey } from "@toolwire/protocol";

/** The prefix of the protocol's own keys. */
const RESERVED = "io.modelcontextprotocol/";

/**
 * The `_meta` for an upstream: the caller's, without what concerns the caller's own connection alone. The client adds its own
 * progress token.
 */
export function metaForUpstream(given: Meta, capabilities: ClientCapabilities | undefined): Meta | undefined {
  let relayed: { [key: string]: unknown } | undefined;
  for (const key of Object.keys(given)) {
    if (key === MetaKey.ProgressToken || key.startsWith(RESERVED)) continue;
    relayed ??= {};
    relayed[key] = given[key];
  }
  if (capabilities !== undefined) relayed = { ...relayed, [MetaKey.ClientCapabilities]: capabilities };
  return relayed;
}

/** The `_meta` of a result for a caller: an upstream does not speak in the name of the server that relays it. */
export function metaForCaller(given: Meta | undefined): Meta | undefined {
  if (given === undefined || !Object.keys(given).some((key) => key.startsWith(RESERVED))) return given;
  const kept = Object.entries(given).filter(([key]) => !key.startsWith(RESERVED));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
