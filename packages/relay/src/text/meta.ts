import type { ClientCapabilities, Meta } from "@toolwire/protocol";
import { MetaKey } from "@toolwire/protocol";
import {
  FLAT_VIEW_META,
  readToolViewMeta,
  TOOL_PREFIX_META,
  VIEW_META,
  VIEW_MIME_TYPE,
  VIEWS_EXTENSION,
} from "@toolwire/protocol/views";

/** The prefix of the protocol's own keys. */
const RESERVED = "io.modelcontextprotocol/";

/**
 * The extensions that are declared to upstreams: views, which are passed on as they are. A connection that callers share declares them
 * always, since its lists are for all. Callers that show no views do not see what is for views only.
 */
export const RELAYED_EXTENSIONS: NonNullable<ClientCapabilities["extensions"]> = {
  [VIEWS_EXTENSION]: { mimeTypes: [VIEW_MIME_TYPE] },
};

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

/**
 * The `_meta` of a tool with the view under the URI at which it is offered. A view calls tools by the names that its own server has for
 * them: `prefix` is what those begin with here.
 */
export function metaWithView(
  given: Meta | undefined,
  outward: (uri: string) => string,
  prefix: string,
): Meta | undefined {
  const { resourceUri } = readToolViewMeta(given);
  if (given === undefined || resourceUri === undefined) return given;
  const uri = outward(resourceUri);
  return {
    ...given,
    [VIEW_META]: { ...(given[VIEW_META] as object | undefined), resourceUri: uri },
    ...(FLAT_VIEW_META in given && { [FLAT_VIEW_META]: uri }),
    ...(prefix !== "" && { [TOOL_PREFIX_META]: prefix }),
  };
}
