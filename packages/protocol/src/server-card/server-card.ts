/**
 * Server cards and AI catalogs: public documents by which a server is found before anybody connects to it
 * (experimental-ext-server-card, draft v1; SEP-2127).
 */
import type { Icon } from "../model/basic.ts";

/** The media type of a server card. */
export const SERVER_CARD_TYPE = "application/mcp-server-card+json";

/** The media type of an AI catalog. */
export const AI_CATALOG_TYPE = "application/ai-catalog+json";

/** The value of `$schema` in every card of this version. */
export const SERVER_CARD_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

/** The version of the catalog format. */
export const AI_CATALOG_VERSION = "1.0";

/** The path of the catalog of a domain. */
export const AI_CATALOG_PATH = "/.well-known/ai-catalog.json";

/** Follows the URL of an endpoint in the URL of its card. */
export const SERVER_CARD_SUFFIX = "/server-card";

/** A public description of a remote server: who it is, and how to connect. It names no tools, resources or prompts. */
export interface ServerCard {
  /** The schema of the document, which is also its version. */
  readonly $schema: typeof SERVER_CARD_SCHEMA;
  /** The domain of the publisher in reverse, and the name of the server: `com.example/weather`. */
  readonly name: string;
  /** One version, never a range. */
  readonly version: string;
  /** What the server is for, in at most 100 characters. */
  readonly description: string;
  /** The name for people, in at most 100 characters. */
  readonly title?: string | undefined;
  /** The home page. */
  readonly websiteUrl?: string | undefined;
  /** Where the source code is. */
  readonly repository?: CardRepository | undefined;
  readonly icons?: readonly Icon[] | undefined;
  /** The endpoints. */
  readonly remotes?: readonly CardRemote[] | undefined;
  /** Data of others, by names with the prefix of a domain. */
  readonly _meta?: { readonly [key: string]: unknown } | undefined;
}

/** Where the source code of a server is. */
export interface CardRepository {
  /** A URL for browsers and for `git clone`. */
  readonly url: string;
  /** The name of the host, such as `github`. */
  readonly source: string;
  /** The folder of the server below the root of the repository. */
  readonly subfolder?: string | undefined;
  /** What the host calls the repository, whatever its name is at the moment. */
  readonly id?: string | undefined;
}

/** An endpoint, and what has to be known to connect to it. */
export interface CardRemote {
  readonly type: "streamable-http" | "sse";
  /** The URL. Names in braces stand for {@link variables}. */
  readonly url: string;
  /** Header fields that the endpoint wants or takes. */
  readonly headers?: readonly CardHeader[] | undefined;
  /** The names in braces of the URL. */
  readonly variables?: { readonly [name: string]: CardInput } | undefined;
  /** The revisions that are spoken there. */
  readonly supportedProtocolVersions?: readonly string[] | undefined;
}

/** A value that somebody who connects has to give, or that is fixed. */
export interface CardInput {
  readonly description?: string | undefined;
  readonly isRequired?: boolean | undefined;
  /** Whether the value must not be seen by others. */
  readonly isSecret?: boolean | undefined;
  readonly format?: "string" | "number" | "boolean" | "filepath" | undefined;
  readonly default?: string | undefined;
  /** An example to show while nothing is entered. */
  readonly placeholder?: string | undefined;
  /** A fixed value, in which names in braces may stand for others. Nobody is asked. */
  readonly value?: string | undefined;
  /** The only values that are allowed. */
  readonly choices?: readonly string[] | undefined;
}

/** A header field of an endpoint. */
export interface CardHeader extends CardInput {
  readonly name: string;
  /** The names in braces of {@link CardInput.value}. */
  readonly variables?: { readonly [name: string]: CardInput } | undefined;
}

/** A list of what a domain offers to AI applications, server cards among it. */
export interface AiCatalog {
  readonly specVersion: string;
  readonly entries: readonly CatalogEntry[];
}

/** One thing that a catalog lists. It has either a `url` or `data`. */
export interface CatalogEntry {
  /** Names the thing wherever it is listed: `urn:air:example.com:mcp:weather`. */
  readonly identifier: string;
  /** The media type of the document that describes it. */
  readonly type: string;
  /** Where that document is. */
  readonly url?: string | undefined;
  /** The document itself. */
  readonly data?: unknown;
}

/** Returns the URL of the card of an endpoint: the one that the draft reserves. Query and fragment are left out. */
export function cardUrlOf(endpoint: string): string {
  const { origin, pathname } = new URL(endpoint);
  return origin + pathname.replace(/\/$/, "") + SERVER_CARD_SUFFIX;
}

/** Returns the identifier of a server in catalogs: `urn:air:example.com:mcp:weather` of `com.example/weather`. */
export function catalogIdOf(name: string): string {
  const [namespace = "", own = ""] = name.split("/");
  return `urn:air:${namespace.split(".").toReversed().join(".")}:mcp:${own}`;
}
