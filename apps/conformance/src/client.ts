// The client that the conformance suite runs: `node dist/client.js URL`, with the scenario in the environment. With
// SOCKET_PATH set, connections to the URL go to that socket.

import { connect } from "@toolwire/client";
import { isRevision } from "@toolwire/protocol";
import { scenarios } from "./fixture-client/scenarios.ts";

const url = process.argv[2];
const {
  MCP_CONFORMANCE_SCENARIO: name = "",
  MCP_CONFORMANCE_PROTOCOL_VERSION: revision = "",
  MCP_CONFORMANCE_CONTEXT: context = "{}",
  SOCKET_PATH: socketPath,
} = process.env;

if (url === undefined) throw new Error("Give the URL of a server as the last argument.");
const scenario = scenarios.get(name);
if (scenario === undefined) throw new Error(`There is no scenario "${name}" here.`);

const told: unknown = JSON.parse(context);
const client = await connect(url, {
  info: { name: "toolwire-conformance-client", version: "1.0.0" },
  ...(isRevision(revision) && { revision }),
  ...(socketPath !== undefined && { http: { connect: { socketPath } } }),
  ...scenario.options,
  ...(await scenario.prepare?.(new URL(url), told)),
});
await scenario.run(client, told);
await client.close();
