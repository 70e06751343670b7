// The server over one of the bindings that are built on Node's modules, which other runtimes have as well.

import { serveHttp } from "@toolwire/server/http";
import { serveStdio } from "@toolwire/server/stdio";
import { serveWebSocket } from "@toolwire/server/websocket";
import { createGuardedFixture, createProtection, readGuard } from "../fixture/guard.ts";
import { createFixture } from "../fixture/server.ts";
import { ALLOWED_ORIGIN, KEEP_ALIVE_MS } from "../steps/http-steps.ts";

const [binding, guardText] = process.argv.slice(2);
const guard = readGuard(guardText);
const server = guard === undefined ? createFixture() : createGuardedFixture();
const auth = guard && createProtection(guard);

if (binding === "stdio") serveStdio(server);
else if (binding === "websocket") console.log((await serveWebSocket(server, { port: 0, auth })).url);
else {
  const options = { port: 0, auth, allowedOrigins: [ALLOWED_ORIGIN], keepAliveInterval: KEEP_ALIVE_MS };
  console.log((await serveHttp(server, options)).url);
}
