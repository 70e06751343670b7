/**
 * Finding servers before connecting to them: catalogs of domains, and the cards of servers (draft v1 of the extension, SEP-2127).
 *
 * @packageDocumentation
 */
export type { CardHeader, CardInput, CardRemote, CardRepository, ServerCard } from "@toolwire/protocol";
export { compareCard, type CardDifference, type ConnectedClient } from "./compare-card.ts";
export type { Freshness } from "./freshness.ts";
export type { ReadOptions } from "./options.ts";
export { type ReadCard, type ReadCardOptions, readServerCard } from "./read-card.ts";
export { type CatalogedServer, type ReadCatalog, readCatalog, type ReadCatalogOptions } from "./read-catalog.ts";
export { type ResolvedRemote, resolveRemote } from "./resolve-remote.ts";
