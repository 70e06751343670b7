/** Answers requests for public documents: methods, pages of other origins, caches. */
import { networkOf } from "../bindings/admission/callers.ts";
import type { PlainResponse } from "../bindings/admission/metadata.ts";
import type { PublishedRequest } from "../bindings/http/published.ts";
import type { PublicDocument } from "./public-document.ts";
import type { RequestRate } from "./request-rate.ts";

/** The fields by which pages of all origins may read the response, as the draft lists them ("CORS Requirements"). */
const FOR_ALL_PAGES: readonly string[] = [
  ["Access-Control-Allow-Origin", "*"],
  ["Access-Control-Allow-Methods", "GET"],
  ["Access-Control-Allow-Headers", "Content-Type, If-None-Match"],
  ["Access-Control-Expose-Headers", "ETag"],
].flat();

const METHODS = "GET, HEAD, OPTIONS";

/** A request for a document. */
export type DocumentRequest = Pick<PublishedRequest, "method" | "address" | "header">;

/**
 * Answers a request for a document. Who the caller is does not matter, nor where it comes from, unless there are too many requests
 * ("Denial of Service").
 */
export async function answerDocument(
  document: () => PublicDocument,
  request: DocumentRequest,
  rate: RequestRate,
): Promise<PlainResponse> {
  const { method, address } = request;
  if (method === "OPTIONS") {
    return { status: 204, headers: [...FOR_ALL_PAGES, "Allow", METHODS, "Access-Control-Max-Age", "3600"] };
  }
  if (method !== "GET" && method !== "HEAD") return { status: 405, headers: [...FOR_ALL_PAGES, "Allow", METHODS] };
  const seconds = rate.take(networkOf(address));
  if (seconds > 0) return { status: 429, headers: [...FOR_ALL_PAGES, "Retry-After", String(seconds)] };
  const current = document();
  const { type, text, maxAge } = current;
  const etag = await current.etag();
  const fields = [...FOR_ALL_PAGES, "ETag", etag, "Cache-Control", `public, max-age=${Math.floor(maxAge / 1000)}`];
  if (names(request.header("if-none-match"), etag)) return { status: 304, headers: fields };
  return { status: 200, headers: [...fields, "Content-Type", type, "X-Content-Type-Options", "nosniff"], body: text };
}

/** Whether `If-None-Match` names an entity tag (RFC 9110, section 13.1.2). Proxies that compress make tags weak. */
function names(given: string | undefined, etag: string): boolean {
  if (given === undefined) return false;
  return given.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}
