import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { NodeHandler } from "@toolwire/server/http";
import { type CatalogHandler, type CatalogServer, createCatalogHandler } from "@toolwire/server/server-card";
import type { GatewayConfig } from "../config/config.ts";
import { CONNECT_POLICY, messagePage } from "../logins/connect-pages.ts";
import { openPort } from "./open-port.ts";

/** A server as the listener knows it. */
interface ListedServer {
  readonly status: "active" | "paused" | "draft";
  readonly handler: NodeHandler;
  /** Whether it takes access tokens, and so has metadata. */
  readonly takesTokens: boolean;
  /** Whether it has a public card, and what a catalog says of it. */
  readonly card: CatalogServer | undefined;
}

/** Where the gateway listens, and what it serves. */
export interface ListenerOptions extends RouteOptions {
  readonly host: string;
  readonly port: number;
}

/** The parts of the gateway to which the listener passes requests. */
export interface RouteOptions {
  find(slug: string): ListedServer | undefined;
  /** All servers. */
  list(): readonly ListedServer[];
  isReady(): boolean;
  /** Whether the engine of the cluster could be reached when it was last tried. `undefined` without a cluster. */
  isEngineUp(): boolean | undefined;
  /** Serves the pages below `/connect/`, if people log in at upstreams. */
  readonly connect?: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
}

/** The listener that clients connect to: `/mcp/{slug}` and its metadata, `/connect/`, `/healthz` and `/readyz`. */
export interface GatewayListener {
  readonly url: string;
  /** Serves on for so many milliseconds, if other processes do that, and closes. */
  drain?(wait: number): Promise<void>;
  /** Tells the processes that serve of a new configuration. */
  reload?(config: GatewayConfig): void;
  /** Is told that the gateway begins to close. */
  leave?(): void;
  /** Takes no more connections, and ends those that are idle. Others end with their requests. */
  close(): Promise<void>;
}

const PREFIX = "/mcp/";

/** Follows the URL of a server in the URL of its card. */
const CARD_SUFFIX = "/server-card";

/** Where clients find the servers of a domain. */
const CATALOG_PATH = "/.well-known/ai-catalog.json";

/** Where clients find out how to get a token for a server (RFC 9728, section 3.1). The SDK answers. */
const METADATA_PREFIX = "/.well-known/oauth-protected-resource/mcp/";

/** How long a paused server asks its clients to wait, in seconds. */
const RETRY_AFTER = "60";

/** Begins to listen. */
export async function listen({ host, port, ...options }: ListenerOptions): Promise<GatewayListener> {
  const { http, close } = createListenerServer(options);
  const advice = "Use `--port` or `listen.port` for another one; 0 picks a free port.";
  await openPort(http, { host, port, what: "The gateway", advice });
  return { url: urlOf(host, (http.address() as AddressInfo).port), close };
}

/** The URL of a listener. */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** A server that does not listen yet, or never does: workers get their connections from the process that has started them. */
export function createListenerServer(options: RouteOptions): {
  readonly http: HttpServer;
  readonly close: () => Promise<void>;
} {
  const catalog = createCatalogHandler(() => listCards(options));
  const http = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      // Longer than load balancers keep their idle connections.
      keepAliveTimeout: 95_000,
      connectionsCheckingInterval: 5000,
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
    },
    (request, response) => route(options, catalog, request, response),
  );
  const sockets = new Set<Socket>();
  http.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  return { http, close: () => closeListener(http, sockets) };
}

function route(
  options: RouteOptions,
  catalog: CatalogHandler,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { url = "" } = request;
  const end = url.indexOf("?");
  const path = end === -1 ? url : url.slice(0, end);
  if (path.startsWith(PREFIX) && path.endsWith(CARD_SUFFIX)) return routeToCard(options, path, request, response);
  if (path.startsWith(PREFIX)) return routeToServer(options, slugIn(path, PREFIX), request, response);
  if (path.startsWith(METADATA_PREFIX)) return routeToMetadata(options, path, request, response);
  // Without any card, the gateway is as if there were no catalogs.
  if (path === CATALOG_PATH && listCards(options).length > 0) return catalog(request, response);
  if (options.connect !== undefined && path.startsWith("/connect/")) return options.connect(request, response);
  if (path === "/" && isPerson(request)) return answerPerson(response);
  // Servers of the SDK call it `/livez`.
  if (path === "/healthz" || path === "/livez") return answerProbe(response, true);
  if (path === "/readyz") return answerProbe(response, options.isReady(), options.isEngineUp());
  return refuse(response, 404, -32_600, "There is no MCP server at this path.");
}

/** Whether a browser opens a URL. */
function isPerson({ method, headers }: IncomingMessage): boolean {
  return (method === "GET" || method === "HEAD") && /\btext\/html\b/i.test(headers.accept ?? "");
}

/** Tells a person where servers are. It names none of them: for some a key is needed, and drafts are nobody's business. */
function answerPerson(response: ServerResponse): void {
  const body = messagePage(
    "Toolwire gateway",
    "MCP servers are here at /mcp/ and their name, such as /mcp/weather. Open such an address in a browser, and it says how to connect. " +
      "The page for operators is elsewhere, if it is turned on: the gateway prints its address when it starts.",
  );
  response.writeHead(200, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "Content-Security-Policy": CONNECT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    Vary: "Accept",
  });
  response.end(body);
}

/** The slug, exactly as it was written: nothing is decoded. Some clients append a slash to every URL. */
function slugIn(path: string, prefix: string): string {
  return path.endsWith("/") ? path.slice(prefix.length, -1) : path.slice(prefix.length);
}

/** A paused server still says how to get a token. One that takes none has no metadata. */
function routeToMetadata(
  options: RouteOptions,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const server = options.find(slugIn(path, METADATA_PREFIX));
  if (server !== undefined && server.status !== "draft" && server.takesTokens) return server.handler(request, response);
  return refuse(response, 404, -32_600, "There is no MCP server with tokens at this path.");
}

/** The servers that the catalog lists. Others may want to be known to those only who have their URL. */
function listCards(options: RouteOptions): readonly CatalogServer[] {
  return options.list().flatMap(({ status, card }) => (status === "active" && card !== undefined ? [card] : []));
}

/** A server without a card has nothing there, like one that does not exist. */
function routeToCard(options: RouteOptions, path: string, request: IncomingMessage, response: ServerResponse): void {
  const server = options.find(path.slice(PREFIX.length, -CARD_SUFFIX.length));
  if (server?.status === "active" && server.card !== undefined) return server.handler(request, response);
  return refuse(response, 404, -32_600, "There is no MCP server at this path.");
}

function routeToServer(options: RouteOptions, slug: string, request: IncomingMessage, response: ServerResponse): void {
  const server = options.find(slug);
  // A draft does not exist for callers.
  if (server === undefined || server.status === "draft") {
    return refuse(response, 404, -32_600, "There is no MCP server at this path.");
  }
  if (server.status === "active") return server.handler(request, response);
  response.setHeader("Retry-After", RETRY_AFTER);
  return refuse(response, 503, -32_603, "This server is paused. Try again later.");
}

/** Refuses a request in the form in which the SDK does it. The body of the request is dropped. */
function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code, message } });
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}

/**
 * Answers a probe: whether the process runs, or takes calls. That the engine is down is said, and no reason to send requests elsewhere:
 * what needs no shared state goes on, and otherwise all gateways would leave at the same moment.
 */
export function answerProbe(response: ServerResponse, isFine: boolean, isEngineUp?: boolean): void {
  const engine = isEngineUp === undefined ? undefined : isEngineUp ? "up" : "down";
  const body = JSON.stringify({ status: isFine ? "ok" : "unavailable", engine });
  response.writeHead(isFine ? 200 : 503, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  response.end(body);
}

async function closeListener(http: HttpServer, sockets: ReadonlySet<Socket>): Promise<void> {
  // Node takes a connection for idle once its response is complete, and cuts it, although bytes may not be sent yet.
  if ([...sockets].some(({ writableLength }) => writableLength > 0)) http.closeIdleConnections = () => undefined;
  // A server that does not listen, as in a worker, has closed before its connections have.
  const closed = Promise.all([
    new Promise<void>((resolve) => http.close(() => resolve())),
    ...[...sockets].map((socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()))),
  ]);
  const timer = setTimeout(() => http.closeAllConnections(), 5000);
  for (const socket of sockets) socket.destroySoon();
  await closed;
  clearTimeout(timer);
}
