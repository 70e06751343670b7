// The server that the conformance suite talks to: `node dist/server.js --port 3000`.

import { parseArgs } from "node:util";
import { serveHttp } from "@toolwire/server/http";
import { server } from "./fixture-server/server.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "3000" } } });

const serving = await serveHttp(server, { port: Number(values.port) });
console.log(`Listening on ${serving.url}`);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void serving.close());
