import type { ServerAuth } from "../admission/auth.ts";
import { expectServerAuth } from "../admission/caller-check.ts";
import { answerMetadata } from "../admission/metadata.ts";
import {
  expectNodeResponse,
  type MetadataRequest,
  type MetadataResponse,
  sendNodeResponse,
  toWebResponse,
} from "./plain-response.ts";

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
    expectNodeResponse(response);
    sendNodeResponse(
      response,
      answerMetadata(metadata, method, (name) => headers[name]?.toString()),
    );
  };
  const fetch = ({ method, headers }: Request): Response =>
    toWebResponse(
      answerMetadata(metadata, method, (name) => headers.get(name) ?? undefined),
      method,
    );
  return Object.assign(handle, { fetch });
}
