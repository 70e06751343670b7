import type { Implementation, Revision, ServerCard } from "@toolwire/protocol";

/** Something that a card says differently than the server. */
export interface CardDifference {
  /** What it is about: `name`, `version`, `title`, `description`, `websiteUrl`, or `revision`. */
  readonly about: string;
  /** What the card says. */
  readonly card: string;
  /** What the server says. This is what counts. */
  readonly server: string;
}

/** The parts of a connected client that a card says something about. */
export interface ConnectedClient {
  readonly server: Implementation | undefined;
  readonly revision: Revision;
}

/**
 * Compares a card with the server that you have connected to by it, as clients should: cards are read before anything is verified. Pass
 * the client itself. What only one of both says is no difference. Returns nothing if they agree.
 */
export function compareCard(card: ServerCard, { server, revision }: ConnectedClient): readonly CardDifference[] {
  const differences: CardDifference[] = [];
  const compare = (about: string, inCard: string | undefined, live: string | undefined): void => {
    if (inCard !== undefined && live !== undefined && inCard !== live) {
      differences.push({ about, card: inCard, server: live });
    }
  };
  // The name of a card is that of the server, below the domain of its publisher.
  if (!card.name.endsWith(`/${server?.name}`)) compare("name", card.name, server?.name);
  for (const about of ["version", "title", "description", "websiteUrl"] as const) {
    compare(about, card[about], server?.[about]);
  }
  const listed = card.remotes?.flatMap(({ supportedProtocolVersions }) => supportedProtocolVersions ?? []) ?? [];
  if (listed.length > 0 && !listed.includes(revision)) compare("revision", listed.join(", "), revision);
  return differences;
}
