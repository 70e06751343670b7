import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Gateway } from "../gateway.ts";
import { openPort } from "../listener/open-port.ts";
import { LoginCodes } from "./login/login-codes.ts";
import { createAdminHandler, type AdminOptions } from "./admin.ts";

/** Where the admin listener listens. */
export interface AdminListenerOptions extends AdminOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Default 8081; 0 takes any that is free. */
  readonly port?: number | undefined;
}

/** The admin API and the page, reachable. */
export interface AdminListener {
  /** Such as `http://127.0.0.1:8081`. */
  readonly url: string;
  /** Makes a link that logs whoever opens it in to the page: once, within ten minutes. */
  createPageLink(): string;
  /** Ends all requests and live lists, and stops listening. */
  close(): Promise<void>;
}

/** Serves the admin API and the page on a port of their own, which should be on loopback. */
export async function listenAdmin(gateway: Gateway, options: AdminListenerOptions): Promise<AdminListener> {
  const host = options.host ?? "127.0.0.1";
  const codes = new LoginCodes(options.now ?? Date.now, gateway.storage.pageLogins);
  const handler = createAdminHandler(gateway, {
    ...options,
    codes,
    allowedHosts: [...(options.allowedHosts ?? []), host],
  });
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 10_000, maxHeaderSize: 16_384 }, handler);
  server.maxConnections = 256;
  const advice = "Use `--admin-port` or `admin.port` for another one; 0 picks a free port.";
  await openPort(server, { host, port: options.port ?? 8081, what: "The admin listener", advice });
  const { address, family, port } = server.address() as AddressInfo;
  const wildcard = address === "0.0.0.0" || address === "::";
  const name = wildcard ? "127.0.0.1" : family === "IPv6" ? `[${address}]` : address;
  const url = `http://${name}:${port}`;
  return {
    url,
    // What follows `#` reaches no server, no log and no other page.
    createPageLink: () => `${url}/#login=${codes.create()}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
