// The official server that exercises everything, as it is published.

import { announce, findFreePort, transport, untilListening } from "./program.ts";

const name = transport === "http" ? "streamableHttp" : transport;
const port = transport === "stdio" ? undefined : await findFreePort();
if (port !== undefined) process.env["PORT"] = String(port);

await import(`@modelcontextprotocol/server-everything/dist/transports/${name}.js`);

if (port !== undefined) {
  await untilListening(port);
  announce(`http://127.0.0.1:${port}${transport === "sse" ? "/sse" : "/mcp"}`);
}
