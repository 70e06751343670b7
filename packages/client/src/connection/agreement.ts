import {
  type ClientCapabilities,
  type Era,
  eraOf,
  type Implementation,
  MetaKey,
  ProtocolViolation,
  type RequestMeta,
  type Revision,
  REVISIONS,
  type ServerCapabilities,
} from "@toolwire/protocol";

/** What the client brings to a negotiation. */
export interface Terms {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  /** The revisions to choose from, best first. */
  readonly revisions: readonly Revision[];
  /** Milliseconds that a server may stay silent before the older handshake is tried as well. */
  readonly probeTimeout: number;
  /** Aborted when the time for connecting is over, or nobody wants it any more. Requests have no other time limit. */
  readonly signal: AbortSignal;
}

/** What both sides agreed on. */
export interface Agreement {
  readonly revision: Revision;
  readonly era: Era;
  /** How the server presents itself, if it does. */
  readonly server: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  /** All revisions that the server says it speaks; not only those that this SDK knows. */
  readonly supportedVersions: readonly string[];
}

/** The revisions an application allows: all of them, those of one era, or a single one. */
export function revisionsToOffer(revision: Revision | undefined, era: Era | undefined): readonly Revision[] {
  if (revision !== undefined) return [revision];
  return era === undefined ? REVISIONS : REVISIONS.filter((candidate) => eraOf(candidate) === era);
}

/** The best revision that both sides speak and that belongs to an era. */
export function bestCommon(offered: readonly Revision[], theirs: readonly unknown[], era: Era): Revision | undefined {
  return offered.find((revision) => eraOf(revision) === era && theirs.includes(revision));
}

/** The `_meta` that every modern request carries. It is the same for all of them, so it is made once. */
export function modernMeta(terms: Terms, revision: Revision): RequestMeta {
  return {
    [MetaKey.ProtocolVersion]: revision,
    [MetaKey.ClientInfo]: terms.info,
    [MetaKey.ClientCapabilities]: terms.capabilities,
  };
}

/** The refusal that says what each side speaks. Loaded with the first server that has nothing in common with its client. */
export function noCommonRevision(
  ours: readonly Revision[],
  theirs: readonly unknown[],
  cause?: unknown,
): ProtocolViolation {
  // It may be no server at all, but a wrong path, say. Its words are untrusted: quoted, and cut.
  const words = cause instanceof Error ? `, but ${JSON.stringify(cause.message.slice(0, 200))}` : "";
  const spoken =
    theirs.length === 0
      ? `seems to be older, and does not say what it speaks${words}`
      : `speaks ${theirs.slice(0, 20).join(", ")}`;
  return new ProtocolViolation(
    "NO_COMMON_REVISION",
    `Client and server have no protocol revision in common: this client speaks ${ours.join(", ")}; the server ${spoken}.`,
    { cause },
  );
}
