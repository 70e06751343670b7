import { type ServerCard, TransportError, UsageError } from "@toolwire/protocol";
import { checkServerCard, expectOption, isObject, SERVER_CARD_TYPE } from "@toolwire/protocol/internal";
import { shown } from "../auth/network/network.ts";
import { isSecureUrl } from "../auth/network/zones.ts";
import { DocumentNetwork } from "./document-network.ts";
import type { Freshness } from "./freshness.ts";
import { type ReadOptions, readOptions } from "./options.ts";

/** A card that was read, and how long it may be used. Keep it as it is to read it again with little effort. */
export interface ReadCard extends Freshness {
  /**
   * What the server, or whoever published the card, says about it. It is not verified: show it, connect by it, but decide nothing by it
   * that access depends on. What the server says once you are connected counts more: see `compareCard`.
   */
  readonly card: ServerCard;
  /** Where it was read; `undefined` for a card inside of a catalog. */
  readonly url: string | undefined;
}

/** The options of {@link readServerCard}. */
export interface ReadCardOptions extends ReadOptions {
  /** The same card as it was read before. While it is fresh, nothing is sent. Later, it is sent again only if it has changed. */
  readonly previous?: ReadCard | undefined;
}

/**
 * Reads the card of a server. Clients learn its URL from a catalog (`readCatalog`), or from the URL of the endpoint: servers that have a
 * card usually have it at the same URL with `/server-card` behind it.
 *
 * @throws TransportError if there is no card, or if it is not valid, saying why
 *
 * @example
 * ```ts
 * const { card } = await readServerCard("https://mcp.example.com/mcp/server-card");
 * console.log(card.title, card.remotes?.[0]?.url);
 * ```
 */
export async function readServerCard(url: string | URL, options: ReadCardOptions = {}): Promise<ReadCard> {
  const settings = readOptions("readServerCard", options, { previous: true });
  const start = expectUrl(url);
  return fetchCard(new DocumentNetwork(start, settings), start, expectPrevious(options.previous, start));
}

/** Reads a card, unless the previous one is still fresh. */
export async function fetchCard(network: DocumentNetwork, url: URL, previous: ReadCard | undefined): Promise<ReadCard> {
  if (previous !== undefined && previous.freshUntil > Date.now()) return previous;
  const { value, ...freshness } = await network.get(url, SERVER_CARD_TYPE, previous?.etag);
  // A 304 can only come if there is a previous card.
  const card = value === undefined ? previous!.card : await acceptCard(network, value, shown(url.href));
  return { card, url: url.href, ...freshness };
}

/** Returns a document if it is a card. */
export async function acceptCard(network: DocumentNetwork, document: unknown, where: string): Promise<ServerCard> {
  const checked = checkServerCard(document);
  if (checked.problems === undefined) {
    await network.expectPublicEndpoints(checked.card);
    return checked.card;
  }
  throw new TransportError("UNEXPECTED_RESPONSE", `${where} is no valid server card. ${checked.problems.join(" ")}`);
}

/** Returns a URL from which public documents may be read. */
export function expectUrl(given: string | URL): URL {
  const text = String(given);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && isSecureUrl(url)) return url;
  const message = `The URL of a public document must be https, or http of this machine, without a user name; got ${shown(text)}.`;
  throw new UsageError("INVALID_ARGUMENT", message);
}

/** Returns what was read before, if it was read at the same URL. */
export function expectPrevious<T extends Freshness & { readonly url: string | undefined }>(
  previous: T | undefined,
  { href }: URL,
): T | undefined {
  if (previous === undefined) return undefined;
  const fits = isObject(previous) && typeof previous.freshUntil === "number" && previous.url === href;
  return expectOption("previous", previous, fits, `what was read before at ${shown(href)}`);
}
