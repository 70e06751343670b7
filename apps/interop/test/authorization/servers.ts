import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  oauthMetadataResponse,
  type OAuthMetadata,
  requireBearerAuth,
} from "@modelcontextprotocol/server";
import { createServer, tool } from "@toolwire/server";
import { jwt, protect } from "@toolwire/server/auth";
import { serveHttp } from "@toolwire/server/http";
import { createLocalJWKSet, jwtVerify } from "jose";
import type { IdentityProvider } from "../../../../packages/client/test/auth/lab/identity-provider.ts";

/** A protected server. Both kinds have the tools `whoami`, and ours has `write`, which needs another scope. */
export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Our server, which takes tokens of the authorization server; with `dpop`, also those that are bound to a key. */
export async function startOurServer(idp: IdentityProvider, dpop: "accepted" | false): Promise<RunningServer> {
  const server = createServer({
    name: "toolwire",
    version: "1.0.0",
    onDiagnostic: () => {},
    tools: {
      whoami: tool({ description: "Says who calls", run: (_, { principal }) => principal?.id ?? "nobody" }),
      write: tool({ description: "Needs another scope", scopes: ["mcp:write"], run: () => "written" }),
    },
  });
  // The resource is the address, which is known when the port is.
  const port = await findPort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const verify = jwt({ issuer: idp.issuer, algorithms: ["ES256"] });
  const auth = protect({ resource, verify, scopes: ["mcp:basic"], dpop, onDiagnostic: () => {} });
  return serveHttp(server, { port, host: "127.0.0.1", path: "/mcp", auth });
}

/** A server on the official SDK, behind its own check of bearer tokens. */
export async function startTheirServer(idp: IdentityProvider): Promise<RunningServer> {
  const port = await findPort();
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const keys = createLocalJWKSet(idp.keys);
  const gate = requireBearerAuth({
    requiredScopes: ["mcp:basic"],
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(url),
    expectedResource: url,
    verifier: {
      async verifyAccessToken(token) {
        const { payload } = await jwtVerify(token, keys, { issuer: idp.issuer }).catch(() => {
          throw new OAuthError(OAuthErrorCode.InvalidToken, "The token is not good.");
        });
        return {
          token,
          clientId: String(payload["client_id"]),
          scopes: typeof payload["scope"] === "string" ? payload["scope"].split(" ") : [],
          expiresAt: payload.exp ?? 0,
          resource: new URL(String(payload.aud)),
          extra: { sub: payload.sub },
        };
      },
    },
  });
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "official", version: "1.0.0" });
    server.registerTool("whoami", {}, ({ http }) => ({
      content: [{ type: "text", text: String(http?.authInfo?.extra?.["sub"]) }],
    }));
    return server;
  });
  const metadata = (await (
    await fetch(`${idp.issuer}/.well-known/oauth-authorization-server`)
  ).json()) as OAuthMetadata;
  const options = { oauthMetadata: metadata, resourceServerUrl: url, scopesSupported: ["mcp:basic"] };
  const answer = async (request: Request): Promise<Response> => {
    const found = oauthMetadataResponse(request, { ...options, dangerouslyAllowInsecureIssuerUrl: true });
    if (found !== undefined) return found;
    const caller = await gate(request);
    return caller instanceof Response ? caller : handler.fetch(request, { authInfo: caller });
  };
  const http = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "GET", headers } = request;
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
      void answer(new Request(new URL(request.url ?? "/", url), { method, headers: headers as never, ...body })).then(
        async (found) => {
          response.writeHead(found.status, Object.fromEntries(found.headers));
          for await (const chunk of found.body ?? []) response.write(chunk);
          response.end();
        },
      );
    });
  });
  await new Promise<void>((resolve) => http.listen(port, "127.0.0.1", resolve));
  return {
    url: url.href,
    async close() {
      http.closeAllConnections();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };
}

/** A port that nobody uses at the moment. */
async function findPort(): Promise<number> {
  const probe = createHttpServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return port;
}
