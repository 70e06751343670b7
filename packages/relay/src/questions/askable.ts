import type { ClientCapabilities } from "@toolwire/server";
import { showsViews } from "@toolwire/server/views";
import { RELAYED_EXTENSIONS } from "../text/meta.ts";

/**
 * The capabilities of a caller that let a server ask it something: only these are declared to upstreams, and that it shows views.
 * Anything else, such as another extension, would be a promise that we cannot keep. `undefined` if the caller can be asked nothing.
 */
export function askableOf(capabilities: ClientCapabilities): ClientCapabilities | undefined {
  const { elicitation, sampling, roots } = capabilities;
  if (elicitation === undefined && sampling === undefined && roots === undefined) return undefined;
  return {
    ...(elicitation !== undefined && { elicitation: modesOf(elicitation) }),
    ...(sampling !== undefined && {
      sampling: {
        ...(sampling.tools !== undefined && { tools: {} }),
        ...(sampling.context !== undefined && { context: {} }),
      },
    }),
    ...(roots !== undefined && { roots: {} }),
    ...(showsViews(capabilities) && { extensions: RELAYED_EXTENSIONS }),
  };
}

/** Without its modes, `elicitation` means forms. */
function modesOf({ form, url }: NonNullable<ClientCapabilities["elicitation"]>): ClientCapabilities["elicitation"] {
  return { ...((form !== undefined || url === undefined) && { form: {} }), ...(url !== undefined && { url: {} }) };
}

/** A key that tells sets of these capabilities apart. */
export function keyOf(capabilities: ClientCapabilities): string {
  const { elicitation, sampling, roots, extensions } = capabilities;
  return [
    elicitation?.form !== undefined && "form",
    elicitation?.url !== undefined && "url",
    sampling !== undefined && "sampling",
    sampling?.tools !== undefined && "tools",
    sampling?.context !== undefined && "context",
    roots !== undefined && "roots",
    extensions !== undefined && "views",
  ]
    .filter(Boolean)
    .join(",");
}
