import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Revision } from "@toolwire/protocol";
import { createNodeHandler } from "@toolwire/server/http";
import { serveWebSocket } from "@toolwire/server/websocket";
import { createGuardedFixture, createProtection, RESOURCE } from "../fixture/guard.ts";
import { MACHINE, startIssuer } from "../issuer/start-issuer.ts";
import type { ClientBinding, Runtime, ServerBinding } from "../runtimes/runtime.ts";
import { challengeSteps, guardSteps } from "../steps/guard-steps.ts";
import type { LoginTask } from "../steps/login-steps.ts";
import { takeSteps, type Outcomes } from "../steps/outcomes.ts";

/** Starts protected servers in the runtime, and calls them from here. */
export async function callGuarded(
  start: NonNullable<Runtime["servers"][ServerBinding]>,
  binding: ServerBinding,
  revision: Revision,
): Promise<Outcomes> {
  const issuer = await startIssuer();
  const guard = { issuer: issuer.url, resource: RESOURCE };
  const stops = [issuer.stop];
  const open = async (...args: Parameters<typeof start>): Promise<string> => {
    const { target, stop } = await start(...args);
    stops.push(stop);
    return target as string;
  };
  try {
    const [given, fetching] = [await open({ ...guard, keys: issuer.keys }), await open(guard)];
    const further = binding === "websocket" ? {} : challengeSteps(given, issuer.url);
    return await takeSteps({ ...guardSteps({ issuer, given, fetching, revision }), ...further });
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

/** A protected server here, and the task of a client that is to get in. */
export interface GuardedServer {
  readonly login: LoginTask;
  readonly stop: () => Promise<void>;
}

/** Protects a server here for clients in the runtime. Pages of an origin may call it. */
export async function serveGuarded(
  binding: ClientBinding,
  origin: string | undefined,
): Promise<GuardedServer | undefined> {
  if (binding !== "http" && binding !== "websocket") return undefined;
  const issuer = await startIssuer();
  // Clients compare the URL in the metadata with the one that they call, so the port has to be known first.
  const http = createServer();
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const resource = `http://127.0.0.1:${port}/mcp`;
  const auth = createProtection({ issuer: issuer.url, resource });
  const server = createGuardedFixture();
  const options = { auth, ...(origin !== undefined && { allowedOrigins: [origin] }) };
  const handler = createNodeHandler(server, options);
  http.on("request", handler);
  const sockets =
    binding === "websocket" ? await serveWebSocket(server, { ...options, server: http, path: "/mcp" }) : undefined;
  const url = sockets === undefined ? resource : resource.replace(/^http/, "ws");
  const token = await issuer.sign("ada", resource);
  return {
    login: { url, issuer: issuer.url, token, subject: "ada", machine: MACHINE },
    async stop() {
      await sockets?.close();
      await handler.close();
      http.closeAllConnections();
      await new Promise<void>((resolve) => http.close(() => resolve()));
      await issuer.stop();
    },
  };
}
