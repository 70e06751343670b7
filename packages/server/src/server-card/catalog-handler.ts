import { expectLimit, expectMilliseconds, expectOption, expectOptions, isCardName } from "@toolwire/protocol/internal";
import {
  expectNodeResponse,
  type MetadataRequest,
  type MetadataResponse,
  sendNodeResponse,
  toWebResponse,
} from "../bindings/http/plain-response.ts";
import { answerDocument } from "./answer-document.ts";
import { type CatalogServer, createCatalog } from "./catalog.ts";
import { expectPublicUrl, MAX_REQUESTS_PER_MINUTE, type ServerCardOptions } from "./options.ts";
import type { PublicDocument } from "./public-document.ts";
import { RequestRate } from "./request-rate.ts";

/** The options of {@link createCatalogHandler}, as those of cards. */
export type CatalogOptions = Pick<ServerCardOptions, "maxAge" | "maxRequestsPerMinute">;

/** A request of `node:http`, as far as it matters here. */
export interface CatalogRequest extends MetadataRequest {
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
}

/** Answers requests for a catalog. */
export interface CatalogHandler {
  /** A request listener for `node:http`. It is also a handler for Express. */
  (request: CatalogRequest, response: MetadataResponse): void;
  /** The same from `Request` to `Response`. It needs no `this`, so you can pass it on as it is. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * Makes a handler for `/.well-known/ai-catalog.json`, by which clients find the servers of a domain. An endpoint with the option
 * `serverCard` that sees this path answers it for itself alone. Use this handler where a domain has several servers. A function is
 * asked for the servers with each request.
 *
 * @example
 * ```ts
 * const catalog = createCatalogHandler([
 *   { name: "com.example/weather", url: "https://example.com/weather/mcp" },
 *   { name: "com.example/maps", url: "https://example.com/maps/mcp" },
 * ]);
 * app.all("/.well-known/ai-catalog.json", catalog);
 * ```
 */
export function createCatalogHandler(
  servers: readonly CatalogServer[] | (() => readonly CatalogServer[]),
  options: CatalogOptions = {},
): CatalogHandler {
  expectOptions("createCatalogHandler", options, { maxAge: true, maxRequestsPerMinute: true });
  const maxAge = expectMilliseconds("maxAge", options.maxAge, 3_600_000);
  const rate = new RequestRate(
    expectLimit("maxRequestsPerMinute", options.maxRequestsPerMinute, MAX_REQUESTS_PER_MINUTE),
  );
  const current = typeof servers === "function" ? lastOf(servers, maxAge) : fixed(servers, maxAge);
  const handle = (request: CatalogRequest, response: MetadataResponse): void => {
    expectNodeResponse(response);
    const { method = "GET", headers, socket } = request;
    const header = (name: string): string | undefined => headers[name]?.toString();
    answerDocument(current, { method, header, address: socket?.remoteAddress }, rate).then(
      (answered) => sendNodeResponse(response, answered),
      () => sendNodeResponse(response, { status: 500, headers: [] }),
    );
  };
  const fetch = async ({ method, headers }: Request): Promise<Response> => {
    const header = (name: string): string | undefined => headers.get(name) ?? undefined;
    return toWebResponse(await answerDocument(current, { method, header, address: undefined }, rate), method);
  };
  return Object.assign(handle, { fetch });
}

function fixed(servers: readonly CatalogServer[], maxAge: number): () => PublicDocument {
  expectOption("servers", servers, Array.isArray(servers), "a list of servers, or a function that returns one");
  const catalog = createCatalog(servers.map(expectServer), maxAge);
  return () => catalog;
}

/** The catalog of the servers at the moment. It is made anew only if they have changed, and so keeps its entity tag. */
function lastOf(list: () => readonly CatalogServer[], maxAge: number): () => PublicDocument {
  let last: PublicDocument | undefined;
  return () => {
    const now = createCatalog(list().map(expectServer), maxAge);
    return (last = last?.text === now.text ? last : now);
  };
}

function expectServer({ name, url }: CatalogServer, index: number): CatalogServer {
  expectOption(`servers[${index}].name`, name, isCardName(name), 'a name as in a card, such as "com.example/weather"');
  return { name, url: expectPublicUrl(`servers[${index}].url`, url) };
}
