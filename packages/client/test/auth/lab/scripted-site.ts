import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request as it came. */
interface SiteRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly form: URLSearchParams;
}

/** A response: JSON, or text with any status and headers. */
export interface SiteResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly json?: unknown;
  readonly text?: string;
  /** Sends bytes without end. */
  readonly endless?: boolean;
}

/** Answers a request. `undefined` is a 404. */
export type Script = (request: SiteRequest, site: Site) => SiteResponse | undefined | Promise<SiteResponse | undefined>;

/** A web site on a loopback port that does what a test wants: authorization servers and resources that misbehave. */
export interface Site {
  readonly origin: string;
  readonly requests: SiteRequest[];
  /** The requests to a path. */
  at(path: string): SiteRequest[];
  close(): Promise<void>;
}

export async function startSite(script: Script): Promise<Site> {
  const requests: SiteRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const url = new URL(request.url ?? "", "http://localhost");
      const text = Buffer.concat(chunks).toString();
      const { method = "", headers } = request;
      const seen = {
        method,
        path: url.pathname,
        query: url.searchParams,
        headers,
        text,
        form: new URLSearchParams(text),
      };
      requests.push(seen);
      void Promise.resolve(script(seen, site)).then((answer = { status: 404 }) => {
        const { status = 200, headers: own = {}, json, text: plain = "", endless } = answer;
        response.writeHead(status, {
          ...(json !== undefined && { "content-type": "application/json" }),
          ...(own as Record<string, string>),
        });
        if (endless === true) {
          const timer = setInterval(() => response.write("x".repeat(256 * 1024)), 1);
          response.on("close", () => clearInterval(timer));
        } else response.end(json === undefined ? plain : JSON.stringify(json));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const site: Site = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    at: (path) => requests.filter((request) => request.path === path),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return site;
}

/** The parts of a resource and of an authorization server on one site, each of which a test can replace. */
export interface SiteParts {
  /** Members of the metadata of the resource. */
  readonly resource?: (site: Site) => object;
  /** Members of the metadata of the authorization server. */
  readonly issuer?: (site: Site) => object;
  /** The tokens that are accepted. */
  readonly accepts?: (token: string) => boolean;
  readonly challenge?: (site: Site) => string;
  /** Answers before anything else does. */
  readonly first?: Script;
  readonly token?: Script;
}

/** A script for a whole protected server, whose logins redirect at once. */
export function protectedSite(parts: SiteParts = {}): Script {
  let tokens = 0;
  return async (request, site) => {
    const first = await parts.first?.(request, site);
    if (first !== undefined) return first;
    const { path, headers } = request;
    if (path.startsWith("/.well-known/oauth-protected-resource")) {
      return {
        json: { resource: `${site.origin}/mcp`, authorization_servers: [site.origin], ...parts.resource?.(site) },
      };
    }
    if (path === "/.well-known/oauth-authorization-server") {
      return { json: { ...issuerMetadata(site.origin), ...parts.issuer?.(site) } };
    }
    if (path === "/register") return { status: 201, json: { client_id: `client-${site.at("/register").length}` } };
    if (path === "/token") {
      tokens += 1;
      return (
        (await parts.token?.(request, site)) ?? {
          json: {
            access_token: `token-${tokens}`,
            token_type: "Bearer",
            expires_in: 3600,
            refresh_token: `refresh-${tokens}`,
          },
        }
      );
    }
    if (path !== "/mcp") return undefined;
    const [, token] = headers.authorization?.split(" ") ?? [];
    if (token === undefined || parts.accepts?.(token) === false) {
      return { status: 401, headers: { "www-authenticate": parts.challenge?.(site) ?? "Bearer" } };
    }
    return answerMcp(request.text);
  };
}

/** The metadata of an authorization server that has everything that is needed. */
export function issuerMetadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
  };
}

/** Starts a protected server and its authorization server until the end of the test. */
export async function openSite(parts: SiteParts = {}): Promise<Site> {
  const started = await startSite(protectedSite(parts));
  onTestFinished(() => started.close());
  return started;
}

/** Answers the requests of a modern client as a server without features does. */
function answerMcp(text: string): SiteResponse {
  const { id, method } = JSON.parse(text === "" ? "{}" : text) as { id?: number; method?: string };
  if (id === undefined) return { status: 202 };
  if (method === "server/discover") {
    const result = {
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      serverInfo: { name: "site", version: "1" },
    };
    return { json: { jsonrpc: "2.0", id, result } };
  }
  const result = method === "tools/list" ? { tools: [] } : { content: [{ type: "text", text: "done" }] };
  return { json: { jsonrpc: "2.0", id, result: { resultType: "complete", ...result } } };
}

/** A login that comes back at once with a code, as if the authorization server had sent the user back. */
export function instantLogin(more: Readonly<Record<string, string>> = {}) {
  const urls: URL[] = [];
  return {
    urls,
    redirectUri: "http://127.0.0.1:33418/callback",
    async authorize(url: URL): Promise<URLSearchParams> {
      urls.push(url);
      return new URLSearchParams({ code: `code-${urls.length}`, state: url.searchParams.get("state") ?? "", ...more });
    },
  };
}
