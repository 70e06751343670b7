import { UsageError } from "@toolwire/protocol";
import type { ServerAuth } from "../admission/auth.ts";
import { expectServerAuth } from "../admission/caller-check.ts";
import { answerMetadata } from "../admission/metadata.ts";

/** The members of a request of `node:http` that are used here. */
export interface MetadataRequest {
  readonly method?: string | undefined;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
}

/** The members of a response of `node:http` that are used here. */
export interface MetadataResponse {
  writeHead(status: number, headers: string[]): unknown;
  end(body?: string): unknown;
}

/** Answers requests for the metadata of a protected resource. */
export interface MetadataHandler {
  /** A request listener for `node:http`. It is also a handler for Express. */
  (request: MetadataRequest, response: MetadataResponse): void;
  /** The same from `Request` to `Response`. It needs no `this`, so you can pass it on as it is. */
  readonly fetch: (request: Request) => Response;
}

/**
 * Makes a handler for the metadata of a protected resource (RFC 9728), which clients ask for at `auth.metadata.path`. Handlers that
 * see this path answer it themselves: `serveHttp`, `serveWebSocket` with a `port`, and handlers mounted at the root. Where a
 * framework mounts the MCP handler on a path of its own, it does not see requests for other paths: then add this handler at
 * `auth.metadata.path`.
 *
 * @example
 * ```ts
 * const app = express();
 * app.use("/mcp", toExpress(server, { auth }));
 * app.all(auth.metadata.path, createMetadataHandler(auth));
 * ```
 */
export function createMetadataHandler(auth: ServerAuth): MetadataHandler {
  const { metadata } = expectServerAuth("auth", auth);
  const handle = ({ method = "GET", headers }: MetadataRequest, response: MetadataResponse): void => {
    if (typeof (response as Partial<MetadataResponse> | undefined)?.writeHead !== "function") throw noResponse();
    const answer = answerMetadata(metadata, method, (name) => headers[name]?.toString());
    response.writeHead(answer.status, [...answer.headers]);
    response.end(answer.body);
  };
  const fetch = ({ method, headers }: Request): Response => {
    const answer = answerMetadata(metadata, method, (name) => headers.get(name) ?? undefined);
    const fields = answer.headers.flatMap((name, index, all): [string, string][] =>
      index % 2 === 0 ? [[name, all[index + 1] ?? ""]] : [],
    );
    return new Response(method === "HEAD" ? null : (answer.body ?? null), { status: answer.status, headers: fields });
  };
  return Object.assign(handle, { fetch });
}

function noResponse(): UsageError {
  return new UsageError(
    "INVALID_ARGUMENT",
    "The handler takes a request and a response of node:http. In Fastify, pass request.raw and reply.raw. For a web `Request`, call its `fetch`.",
  );
}
