import { eraOf, type Revision } from "@toolwire/protocol";
import type { Definition } from "../definition/definition.ts";
import { unsupportedRevision } from "../errors.ts";

/** The revision that a handshake settles on: the client's if it is spoken here, or the newest that has a handshake. */
export function negotiate({ revisions }: Pick<Definition, "revisions">, params: object | undefined): Revision {
  const requested = String((params as { protocolVersion?: unknown } | undefined)?.protocolVersion);
  const legacy = revisions.filter((revision) => eraOf(revision) === "legacy");
  const agreed = legacy.find((revision) => revision === requested) ?? legacy[0];
  if (agreed !== undefined) return agreed;
  throw unsupportedRevision(requested, revisions, "It has no handshake: send each request with its `_meta`.");
}
