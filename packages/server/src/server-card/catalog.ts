import type { AiCatalog, CatalogEntry } from "@toolwire/protocol";
import {
  AI_CATALOG_TYPE,
  AI_CATALOG_VERSION,
  cardUrlOf,
  catalogIdOf,
  SERVER_CARD_TYPE,
} from "@toolwire/protocol/internal";
import { PublicDocument } from "./public-document.ts";

/** A server in a catalog. */
export interface CatalogServer {
  /** The name in its card, such as `com.example/weather`. */
  readonly name: string;
  /** The URL by which clients reach its endpoint. The card is at the same URL with `/server-card` behind it. */
  readonly url: string;
}

/** Makes a catalog of servers. It repeats nothing of their cards, which could differ from them later. */
export function createCatalog(servers: readonly CatalogServer[], maxAge: number): PublicDocument {
  const entries = servers.map(({ name, url }): CatalogEntry => ({
    identifier: catalogIdOf(name),
    type: SERVER_CARD_TYPE,
    url: cardUrlOf(url),
  }));
  return new PublicDocument(AI_CATALOG_TYPE, { specVersion: AI_CATALOG_VERSION, entries } satisfies AiCatalog, maxAge);
}
