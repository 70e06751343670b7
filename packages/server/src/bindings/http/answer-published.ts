/** Answers requests for what an endpoint publishes about itself: its card, and a catalog with this card in it. */
import type { Implementation, Revision } from "@toolwire/protocol";
import { AI_CATALOG_PATH, cardUrlOf, SERVER_CARD_SUFFIX, SERVER_CARD_TYPE } from "@toolwire/protocol/internal";
import { pathOf } from "../admission/hosts.ts";
import type { HttpRequestAdapter } from "./adapter.ts";
import { refuse, requestFailed } from "./errors.ts";
import type { HttpRequest } from "./request.ts";
import { answerDocument } from "./server-card/answer-document.ts";
import { createCatalog } from "./server-card/catalog.ts";
import { readServerCardOptions, type ServerCardOptions } from "./server-card/options.ts";
import { PublicDocument } from "./server-card/public-document.ts";
import { RequestRate } from "./server-card/request-rate.ts";
import { writeServerCard } from "./server-card/write-card.ts";

/** What an endpoint publishes, and where. */
export interface Published {
  readonly card: PublicDocument;
  readonly catalog: PublicDocument;
  /** The path of the card as clients write it. */
  readonly cardPath: string;
  /** The path of the endpoint in the options, if there is one: proxies may rewrite those of clients. */
  readonly endpointPath: string | undefined;
  readonly rate: RequestRate;
}

/**
 * Makes what an endpoint publishes.
 *
 * @throws UsageError if there can be no card of this server
 */
export function publish(
  info: Implementation,
  revisions: readonly Revision[],
  given: ServerCardOptions,
  endpointPath: string | undefined,
): Published {
  const settings = readServerCardOptions(given);
  const { url, maxAge } = settings;
  const card = writeServerCard(info, settings, revisions);
  return {
    card: new PublicDocument(SERVER_CARD_TYPE, card, maxAge),
    catalog: createCatalog([{ name: card.name, url }], maxAge),
    cardPath: new URL(cardUrlOf(url)).pathname,
    endpointPath,
    rate: new RequestRate(settings.maxRequestsPerMinute),
  };
}

/** Answers a request for a published document. Returns false for all other requests. */
export function answerPublished(request: HttpRequest, published: Published): boolean {
  const document = findDocument(published, request.adapter);
  if (document === undefined) return false;
  void respond(request, document, published.rate);
  return true;
}

function findDocument(published: Published, adapter: HttpRequestAdapter): PublicDocument | undefined {
  const path = pathOf(adapter.target);
  if (path === AI_CATALOG_PATH) return published.catalog;
  const { card, cardPath, endpointPath } = published;
  if (path === cardPath) return card;
  // Without a path of its own, the endpoint is wherever requests are routed here.
  if (endpointPath === undefined) return path.endsWith(SERVER_CARD_SUFFIX) ? card : undefined;
  const own = endpointPath + SERVER_CARD_SUFFIX;
  return path === own || adapter.routedPath === own ? card : undefined;
}

async function respond(request: HttpRequest, document: PublicDocument, rate: RequestRate): Promise<void> {
  const { adapter, endpoint } = request;
  const { method, address } = adapter;
  try {
    const header = (name: string): string | undefined => adapter.header(name);
    const { status, headers, body } = await answerDocument(() => document, { method, header, address }, rate);
    if (status >= 400) endpoint.server.refused({ binding: "http", status });
    request.respond(status, headers, body);
  } catch (error) {
    refuse(request, requestFailed(endpoint.server, error));
  }
}
