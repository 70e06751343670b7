/** Sends a response that is whole at once, on both platforms. For handlers of single documents, which need no endpoint. */
import { UsageError } from "@toolwire/protocol";
import type { PlainResponse } from "../admission/metadata.ts";

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

/** Refuses what is no response of `node:http`. */
export function expectNodeResponse(response: MetadataResponse): void {
  if (typeof (response as Partial<MetadataResponse> | undefined)?.writeHead === "function") return;
  throw new UsageError(
    "INVALID_ARGUMENT",
    "The handler takes a request and a response of node:http. In Fastify, pass request.raw and reply.raw. For a web `Request`, call its `fetch`.",
  );
}

/** Sends a response of `node:http`. */
export function sendNodeResponse(response: MetadataResponse, { status, headers, body }: PlainResponse): void {
  response.writeHead(status, [...headers]);
  response.end(body);
}

/** Makes a web `Response` to a request with this method. */
export function toWebResponse({ status, headers, body }: PlainResponse, method: string): Response {
  const fields = headers.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, headers[index + 1] ?? ""]] : [],
  );
  return new Response(method === "HEAD" ? null : (body ?? null), { status, headers: fields });
}
