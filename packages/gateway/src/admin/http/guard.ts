import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { AdminError } from "./admin-error.ts";

/** Refuses requests that a foreign web page could have made a browser send. */
export interface Guard {
  /**
   * Checks a request before anything is done with it.
   *
   * @throws AdminError if its `Host` is not one of ours, or if a page of another origin sent it
   */
  check(http: IncomingMessage): void;
  /**
   * Checks a request that a cookie authenticates, which browsers send along whatever page made the request.
   *
   * @throws AdminError if it changes something and does not say which page sent it
   */
  checkCookieRequest(http: IncomingMessage): void;
}

/**
 * Makes a guard. A name that an attacker has pointed at this machine (DNS rebinding) is not in `Host` by an address, so addresses
 * and `localhost` are taken; other names only if they are listed.
 */
export function createGuard(allowedHosts: readonly string[]): Guard {
  const names = new Set(allowedHosts.map((host) => host.toLowerCase()));
  return {
    check(http) {
      const host = hostName(http.headers.host);
      if (host === undefined || !(isAddressOrLocal(host) || names.has(host))) {
        throw new AdminError(
          421,
          "host_not_allowed",
          "This host name is not one of the admin listener's. Add it to admin.allowedHosts, or use 127.0.0.1.",
        );
      }
      const origin = http.headers.origin;
      if (origin !== undefined && !isSameOrigin(origin, http.headers.host)) throw foreign();
      const site = http.headers["sec-fetch-site"];
      // A link on another page leads here as "cross-site" navigation. It may show the page, and nothing of the API.
      if (site !== undefined && site !== "same-origin" && site !== "none" && !isNavigation(http)) throw foreign();
    },
    checkCookieRequest(http) {
      if (isRead(http)) return;
      if (http.headers.origin === undefined) throw foreign();
    },
  };
}

/** Whether a request only reads. */
export function isRead(http: IncomingMessage): boolean {
  return http.method === "GET" || http.method === "HEAD";
}

function foreign(): AdminError {
  return new AdminError(
    403,
    "foreign_origin",
    "Only the page of this gateway, or a program with the admin token as a bearer token, may do this.",
  );
}

function isNavigation(http: IncomingMessage): boolean {
  const path = http.url ?? "";
  return isRead(http) && http.headers["sec-fetch-mode"] === "navigate" && !/^\/+api(?:\/|$)/i.test(path);
}

function hostName(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(header);
  return match?.[1]?.toLowerCase();
}

function isAddressOrLocal(host: string): boolean {
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  return isIP(host.startsWith("[") ? host.slice(1, -1) : host) !== 0;
}

/** Compares host and port; the scheme may differ behind a proxy that ends TLS. */
function isSameOrigin(origin: string, host: string | undefined): boolean {
  const match = /^https?:\/\/([^/]+)$/i.exec(origin);
  return match !== null && match[1]?.toLowerCase() === host?.toLowerCase();
}
