/** Toolwire with the option `auth`: every request needs a token, and those that were verified are remembered. */
import { ISSUER, readPublicKey, RESOURCE } from "../workload/token.ts";
import type { Contender } from "./contender.ts";
import { defineServer } from "./toolwire.ts";

export const contender: Contender = {
  name: "toolwire-protected",
  packages: ["@toolwire/server"],
  offer: (wiring) => (wiring.hasToken === true ? { wiring } : "needs a token"),
  async serve(wiring) {
    const { serveHttp } = await import("@toolwire/server/http");
    const { jwt, protect } = await import("@toolwire/server/auth");
    const { port } = await serveHttp(await defineServer(wiring), {
      port: 0,
      auth: protect({
        resource: RESOURCE,
        verify: jwt({ issuer: ISSUER, keys: { keys: [readPublicKey()] } }),
        scopes: ["mcp:read"],
      }),
    });
    return port;
  },
};
