import type { HttpCaller } from "@toolwire/openapi";

/** The largest response of an authorization server. */
const MAX_BYTES = 256 * 1024;
const TIMEOUT = 5000;

/** `fetch` as libraries for authorization call it. */
export type GuardedFetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Makes a `fetch` for requests to authorization servers, which are sent as those to APIs: to allowed addresses only, without
 * redirects, within limits. The `fetch` of the platform would connect to any address, so nothing in the gateway calls it.
 */
export function createGuardedFetch(caller: HttpCaller): GuardedFetch {
  return async (href, { method = "GET", headers, body, signal }) => {
    const { origin, pathname, search } = new URL(href);
    const isForm = body instanceof URLSearchParams;
    const fields = Object.fromEntries(new Headers(headers));
    const request = {
      method: method as "GET" | "POST",
      origin,
      path: pathname + search,
      headers: isForm ? { ...fields, "content-type": "application/x-www-form-urlencoded" } : fields,
      body: isForm ? String(body) : undefined,
    };
    const response = await caller.send(request, {
      timeout: TIMEOUT,
      maxBytes: MAX_BYTES,
      retries: 0,
      ...(signal && { signal }),
    });
    const { status } = response;
    const isBodiless = status === 204 || status === 304;
    const type = response.headers["content-type"];
    return new Response(isBodiless ? null : new Uint8Array(response.body), {
      status,
      headers: typeof type === "string" ? { "content-type": type } : {},
    });
  };
}
