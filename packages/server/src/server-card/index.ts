/**
 * Server cards and catalogs, by which clients find servers before they connect (draft v1 of the extension, SEP-2127).
 *
 * @packageDocumentation
 */
export type { CardHeader, CardInput, CardRepository } from "@toolwire/protocol";
export type { CatalogServer } from "./catalog.ts";
export {
  createCatalogHandler,
  type CatalogHandler,
  type CatalogOptions,
  type CatalogRequest,
} from "./catalog-handler.ts";
export type { ServerCardOptions } from "./options.ts";
export { serverCard } from "./publish.ts";
export type { ServerPublisher } from "../bindings/http/published.ts";
