import type { AuthServer } from "../../transports/client-auth.ts";
import type { PlatformFetch } from "./network.ts";
import { zoneOfHost } from "./zones.ts";

/**
 * Sends requests by `fetch`: that of the application, or the platform's. Only addresses in URLs tell their zone here. Browsers keep
 * copies of documents and send cookies along; neither is wanted: a server that has moved must be noticed at once.
 */
export function createPlatformFetch({ http }: AuthServer): PlatformFetch {
  const options: RequestInit = { ...supported({ cache: "no-store" }), ...supported({ credentials: "omit" }) };
  return {
    fetch: (url, init) => (http.fetch ?? fetch)(url, { ...init, ...options }),
    resolve: async (hostname) => {
      const zone = zoneOfHost(hostname);
      return zone && { zone };
    },
  };
}

/** The option, if the platform knows it. Those that have neither a cache nor cookies may throw. */
function supported(option: RequestInit): RequestInit {
  try {
    void new Request("https://localhost/", option);
    return option;
  } catch {
    return {};
  }
}
