/** The card of a server, and a catalog with this card in it, at their paths. */
import { AI_CATALOG_PATH, cardUrlOf, SERVER_CARD_SUFFIX, SERVER_CARD_TYPE } from "@toolwire/protocol/internal";
import { pathOf } from "../bindings/admission/hosts.ts";
import type { PublishedDocuments, PublishedServer, ServerPublisher } from "../bindings/http/published.ts";
import { answerDocument } from "./answer-document.ts";
import { createCatalog } from "./catalog.ts";
import { readServerCardOptions, type ServerCardOptions, type ServerCardSettings } from "./options.ts";
import { PublicDocument } from "./public-document.ts";
import { RequestRate } from "./request-rate.ts";
import { writeServerCard } from "./write-card.ts";

/**
 * Publishes a card of a server, by which clients find it before they connect, at the URL of its endpoint with `/server-card` behind it; and
 * a catalog with this card in it at `/.well-known/ai-catalog.json`, where the endpoint sees that path. Everybody can read both, also with
 * `auth` or `authenticate`.
 *
 * @throws UsageError if an option makes no sense. Endpoints throw one if there can be no card of their server.
 *
 * @example
 * ```ts
 * await serveHttp(server, {
 *   port: 3000,
 *   serverCard: serverCard({ url: "https://mcp.example.com/mcp", namespace: "com.example" }),
 * });
 * ```
 */
export function serverCard(options: ServerCardOptions): ServerPublisher {
  const settings = readServerCardOptions(options);
  return { publish: (server) => publish(server, settings) };
}

function publish(server: PublishedServer, settings: ServerCardSettings): PublishedDocuments {
  const { url, maxAge } = settings;
  const card = writeServerCard(server.info, settings, server.revisions);
  const cardDocument = new PublicDocument(SERVER_CARD_TYPE, card, maxAge);
  const catalog = createCatalog([{ name: card.name, url }], maxAge);
  const cardPath = new URL(cardUrlOf(url)).pathname;
  const rate = new RequestRate(settings.maxRequestsPerMinute);
  return {
    answer(request) {
      const path = pathOf(request.target);
      const isForCatalog = path === AI_CATALOG_PATH;
      if (!isForCatalog && !isCardPath(path, request.routedPath, cardPath, server.path)) return undefined;
      return answerDocument(() => (isForCatalog ? catalog : cardDocument), request, rate);
    },
  };
}

/** Whether a path is that of the card: as clients write it, or, where a proxy has rewritten it, below the path of the endpoint. */
function isCardPath(path: string, routedPath: string, cardPath: string, endpointPath: string | undefined): boolean {
  if (path === cardPath) return true;
  // Without a path of its own, the endpoint is wherever requests are routed here.
  if (endpointPath === undefined) return path.endsWith(SERVER_CARD_SUFFIX);
  const own = endpointPath + SERVER_CARD_SUFFIX;
  return path === own || routedPath === own;
}
