/** A protected server in a process of its own: `server.ts <settings as JSON>`. Says by a message that it listens. */
import { createServer, tool } from "@toolwire/server";
import { introspection, jwt, protect } from "@toolwire/server/auth";
import { serveHttp } from "@toolwire/server/http";
import { serveWebSocket } from "@toolwire/server/websocket";

/** How the server is protected. */
export interface ServerSettings {
  readonly issuer: string;
  readonly transport: "http" | "websocket";
  readonly port: number;
  /** Takes only tokens that are bound to a key, with proofs that have a nonce: always, or only after a start. */
  readonly nonces?: "always" | "after a start";
  /** The client by which tokens are looked up at their issuer. */
  readonly client?: { readonly id: string; readonly secret: string };
}

const { issuer, transport, port, nonces, client } = JSON.parse(process.argv[2] ?? "") as ServerSettings;

const server = createServer({
  name: "protected",
  version: "1.0.0",
  tools: {
    whoami: tool({ run: (_, { principal }) => principal?.id ?? "nobody" }),
    write: tool({ scopes: ["mcp:write"], run: () => "written" }),
  },
});

const path = "/mcp";
const auth = protect({
  resource: `http://127.0.0.1:${port}${path}`,
  verify:
    client === undefined
      ? jwt({ issuer })
      : introspection({ issuer, endpoint: `${issuer}/token/introspection`, client }),
  scopes: ["mcp:basic"],
  ...(nonces !== undefined && { dpop: { mode: "required", nonces: nonces === "always" } }),
});
const serve = transport === "websocket" ? serveWebSocket : serveHttp;
const { url } = await serve(server, { port, path, auth });
process.send?.(url);
