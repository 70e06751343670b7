import { TransportError } from "@toolwire/protocol";
import { AI_CATALOG_PATH, AI_CATALOG_TYPE, checkCatalog, quoteWords } from "@toolwire/protocol/internal";
import { shown } from "../auth/network/network.ts";
import { DocumentNetwork } from "./document-network.ts";
import type { Freshness } from "./freshness.ts";
import { type ReadOptions, readOptions } from "./options.ts";
import { acceptCard, expectPrevious, expectUrl, fetchCard, type ReadCard } from "./read-card.ts";

/** A server that a catalog lists. */
export interface CatalogedServer {
  /** Names the server wherever it is listed, such as `urn:air:example.com:mcp:weather`. */
  readonly identifier: string;
  /** Where its card is, on any domain; `undefined` if the card is inside of the catalog. */
  readonly url: string | undefined;
  /** Reads its card, with the options of the catalog. */
  read(options?: { readonly previous?: ReadCard | undefined; readonly signal?: AbortSignal }): Promise<ReadCard>;
}

/** A catalog that was read, and how long it may be used. */
export interface ReadCatalog extends Freshness {
  readonly url: string;
  readonly servers: readonly CatalogedServer[];
  /** What is wrong with entries that were left out. */
  readonly ignored: readonly string[];
}

/** The options of {@link readCatalog}. */
export interface ReadCatalogOptions extends ReadOptions {
  /** The same catalog as it was read before. While it is fresh, nothing is sent. Later, it is sent again only if it has changed. */
  readonly previous?: ReadCatalog | undefined;
}

/**
 * Finds the MCP servers of a domain, by the catalog that it publishes. Other things in the catalog are passed over.
 *
 * @param domain - a domain such as `example.com`, or the URL of a catalog that is elsewhere
 * @throws TransportError if there is no catalog, or if it is not valid, saying why
 *
 * @example
 * ```ts
 * const { servers } = await readCatalog("example.com");
 * for (const server of servers) console.log((await server.read()).card.name);
 * ```
 */
export async function readCatalog(domain: string | URL, options: ReadCatalogOptions = {}): Promise<ReadCatalog> {
  const settings = readOptions("readCatalog", options, { previous: true });
  const url = expectUrl(isDomain(domain) ? `https://${domain}${AI_CATALOG_PATH}` : domain);
  const previous = expectPrevious(options.previous, url);
  if (previous !== undefined && previous.freshUntil > Date.now()) return previous;
  const { value, ...freshness } = await new DocumentNetwork(url, settings).get(url, AI_CATALOG_TYPE, previous?.etag);
  if (value === undefined) return { ...previous!, ...freshness };
  const checked = checkCatalog(value);
  if (checked.problems !== undefined) {
    const message = `${shown(url.href)} is no valid AI catalog. ${checked.problems.join(" ")}`;
    throw new TransportError("UNEXPECTED_RESPONSE", message);
  }
  const servers = checked.entries.map(({ identifier, url: cardUrl, data }): CatalogedServer => {
    const read: CatalogedServer["read"] = async (wishes = {}) => {
      // The card may be on another domain, but in no network that is more private than that of the catalog.
      const network = new DocumentNetwork(url, { ...settings, signal: wishes.signal ?? settings.signal });
      if (cardUrl !== undefined) {
        const at = new URL(cardUrl);
        return fetchCard(network, at, expectPrevious(wishes.previous, at));
      }
      const card = await acceptCard(network, data, `The card of ${quoteWords(identifier)} in ${shown(url.href)}`);
      return { card, url: undefined, ...freshness };
    };
    return { identifier, url: cardUrl, read };
  });
  return { url: url.href, servers, ignored: checked.ignored, ...freshness };
}

/** Whether a text is a domain, with or without a port, rather than a URL. */
function isDomain(given: string | URL): given is string {
  return typeof given === "string" && /^[^\s/:?#@]+(?::\d+)?$/.test(given);
}
