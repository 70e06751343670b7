import * as library from "oauth4webapi";
import { customFetch, type HttpRequestOptions } from "oauth4webapi";
import type { AuthFetch } from "./network.ts";

/**
 * The option by which `oauth4webapi` accepts http. It is marked as deprecated there so that it stands out. Here, `AuthNetwork`
 * decides which URLs are used: http on this machine only.
 */
const allowsHttp = (library as { readonly allowInsecureRequests: symbol }).allowInsecureRequests;

/** The options of every request that `oauth4webapi` makes: it goes through the network of the client. */
export function libraryOptions(
  fetch: AuthFetch,
  signal: AbortSignal | undefined,
): HttpRequestOptions<"POST", never> & { readonly signal?: AbortSignal } {
  return {
    [allowsHttp]: true,
    [customFetch]: (url, init) => fetch(url, init as RequestInit),
    ...(signal && { signal }),
  };
}
