import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer, type Principal, resource, tool } from "@toolwire/server";
import { introspection, jwt, protect, type ServerAuth } from "@toolwire/server/auth";
import { createNodeHandler } from "@toolwire/server/http";
import { serveWebSocket } from "@toolwire/server/websocket";
import type { IdentityProvider } from "./identity-provider.ts";

/** The wishes of a test for a protected MCP server. */
export interface ProtectedServerOptions {
  readonly providers: readonly IdentityProvider[];
  /** The scopes for any access, and those of single tools. */
  readonly scopes?: readonly string[];
  readonly toolScopes?: Readonly<Record<string, readonly string[]>>;
  readonly dpop?: "required" | "nonce" | "accepted";
  /** The `resource` of the metadata. Default: the URL of the server. */
  readonly resource?: (url: string) => string;
  /** Whether the challenge names the metadata. */
  readonly namesMetadata?: boolean;
  /** The client by which opaque tokens are looked up. */
  readonly introspection?: { readonly id: string; readonly secret: string };
  /** Whether pages of any origin may call it. */
  readonly allowsPages?: boolean;
  /** Refuses tokens that are good otherwise. */
  readonly refuses?: (token: string) => boolean;
}

/** A request to the server, as it came. */
interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  /** The status of the response; 0 before there is one. */
  readonly status: () => number;
  readonly proof: string | undefined;
  readonly rpc: string | undefined;
}

/** A real MCP server of both eras that wants tokens, over HTTP and WebSocket. */
export interface ProtectedServer {
  readonly url: string;
  readonly webSocketUrl: string;
  readonly seen: SeenRequest[];
  /** The authorization servers that its metadata name, and whose tokens it takes. A test may change them. */
  issuers: string[];
  refuses: ((token: string) => boolean) | undefined;
  close(): Promise<void>;
}

export async function startProtectedServer(options: ProtectedServerOptions): Promise<ProtectedServer> {
  const { toolScopes = {} } = options;
  const scopesOf = (name: string): { readonly scopes?: readonly string[] } => {
    const scopes = toolScopes[name];
    return scopes === undefined ? {} : { scopes };
  };
  const server = createServer({
    name: "protected",
    version: "1.0.0",
    onDiagnostic: () => {},
    tools: {
      whoami: tool({
        description: "Says who is logged in",
        ...scopesOf("whoami"),
        run: (_, ctx) => nameOf(ctx.principal),
      }),
      write: tool({ description: "Needs more", ...scopesOf("write"), run: () => "written" }),
      admin: tool({ description: "Needs even more", ...scopesOf("admin"), run: () => "done" }),
    },
    resources: {
      secret: resource({
        uri: "test://mine",
        read: ({ principal }) => ({ contents: `of ${nameOf(principal)}`, ttlMs: 60_000, cacheScope: "private" }),
      }),
    },
  });
  const seen: SeenRequest[] = [];
  const state: Pick<ProtectedServer, "issuers" | "refuses"> = {
    issuers: options.providers.map(({ issuer }) => issuer),
    refuses: options.refuses,
  };
  const http = createHttpServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp`;

  /** What protects the server, for each list of issuers that it had: metadata never change, so a change is another server. */
  const protections = new Map<string, Protection>();
  const current = (): Protection => {
    const key = state.issuers.join(" ");
    const found = protections.get(key) ?? createProtection();
    protections.set(key, found);
    return found;
  };
  const createProtection = (): Protection => {
    const auth = createAuth(url, options, state);
    const pages = options.allowsPages === true ? { allowedOrigins: ["*"] } : {};
    return { auth, handler: createNodeHandler(server, { auth, ...pages }) };
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url: path = "" } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = text === "" ? undefined : (JSON.parse(text) as { method?: string });
    const { authorization, dpop: proof } = request.headers;
    seen.push({
      method,
      path,
      authorization,
      status: () => (response.headersSent ? response.statusCode : 0),
      proof: proof as string | undefined,
      rpc: body?.method,
    });
    Object.assign(request, { body });
    current().handler(request, response);
  };
  const sockets = await serveWebSocket(server, { server: http, path: "/ws", auth: current().auth });
  return Object.assign(state, {
    url,
    webSocketUrl: `ws://127.0.0.1:${port}/ws`,
    seen,
    async close() {
      await sockets.close();
      for (const { handler } of protections.values()) await handler.close();
      http.closeAllConnections();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  });
}

interface Protection {
  readonly auth: ServerAuth;
  readonly handler: ReturnType<typeof createNodeHandler>;
}

/** Protects the server as an application does, and breaks the rules where a test wants that. */
function createAuth(
  url: string,
  options: ProtectedServerOptions,
  state: Pick<ProtectedServer, "issuers" | "refuses">,
): ServerAuth {
  const { scopes = ["mcp:basic"], dpop, introspection: client } = options;
  const auth = protect({
    resource: options.resource?.(url) ?? url,
    verify: state.issuers.map((issuer) =>
      client === undefined
        ? jwt({ issuer, algorithms: ["ES256"] })
        : introspection({ issuer, endpoint: `${issuer}/token/introspection`, client }),
    ),
    scopes,
    dpop: dpop === "nonce" ? { mode: "required", nonces: true } : (dpop ?? false),
    onDiagnostic: () => {},
  });
  const hide = (fields: readonly string[] = []): readonly string[] =>
    options.namesMetadata === false
      ? fields.map((field) => field.replace(/resource_metadata="[^"]*"(?:, )?/, ""))
      : fields;
  return {
    metadata: auth.metadata,
    async admit(request) {
      const token = request.header("authorization")?.split(" ")[1] ?? "";
      const isRefused = token !== "" && state.refuses?.(token) === true;
      if (isRefused) {
        const challenge = `Bearer error="invalid_token", resource_metadata="${auth.metadata.url}"`;
        return { refusal: { status: 401, message: "Refused.", headers: ["WWW-Authenticate", challenge] } };
      }
      const admission = await auth.admit(request);
      if (!("refusal" in admission)) return admission;
      return { refusal: { ...admission.refusal, headers: hide(admission.refusal.headers) } };
    },
    challenge: (needed) => hide(auth.challenge(needed)),
  };
}

/** The user of a token, or the client of a machine. */
function nameOf(principal: Principal | undefined): string {
  if (principal === undefined) return "nobody";
  const [, subject, client] = JSON.parse(principal.id) as [string, string | null, string?];
  return subject ?? client ?? "nobody";
}
