/** The responses to requests for the metadata of a protected resource (RFC 9728), which is public and never changes. */
import type { ResourceMetadata } from "./auth.ts";
import { pathOf } from "./hosts.ts";

/** A response with a status, header fields (names and values in turn), and a body. */
export interface PlainResponse {
  readonly status: number;
  readonly headers: readonly string[];
  /** Left out by HTTP itself in the response to a HEAD. */
  readonly body?: string | undefined;
}

const METHODS = "GET, HEAD, OPTIONS";

/** Any page may read the document: it tells where to log in, and says nothing about the caller. */
const FOR_ALL_PAGES = ["Access-Control-Allow-Origin", "*"];

/** Whether a request asks for the metadata. A trailing slash makes no difference, as for endpoints. */
export function isMetadataPath({ path }: ResourceMetadata, target: string): boolean {
  const asked = pathOf(target);
  return asked === path || asked === `${path}/`;
}

/** Answers a request for the metadata. Nothing but the method and the wishes of a preflight matter. */
export function answerMetadata(
  { text }: ResourceMetadata,
  method: string,
  header: (name: string) => string | undefined,
): PlainResponse {
  if (method === "OPTIONS") {
    const requested = header("access-control-request-headers");
    const allowed = requested === undefined ? [] : ["Access-Control-Allow-Headers", requested];
    const headers = ["Allow", METHODS, "Access-Control-Allow-Methods", METHODS, "Access-Control-Max-Age", "3600"];
    return { status: 204, headers: [...FOR_ALL_PAGES, ...headers, ...allowed] };
  }
  if (method !== "GET" && method !== "HEAD") {
    return { status: 405, headers: [...FOR_ALL_PAGES, "Allow", METHODS] };
  }
  const headers = ["Content-Type", "application/json", "Cache-Control", "public, max-age=3600"];
  return { status: 200, headers: [...FOR_ALL_PAGES, ...headers], body: text };
}
