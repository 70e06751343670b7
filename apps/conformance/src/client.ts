// The client that the conformance suite runs: `node dist/client.js URL`, with the scenario in the environment.

import { connect } from "@toolwire/client";
import { isRevision } from "@toolwire/protocol";
import { scenarios } from "./fixture-client/scenarios.ts";

const url = process.argv[2];
const {
  MCP_CONFORMANCE_SCENARIO: name = "",
  MCP_CONFORMANCE_PROTOCOL_VERSION: revision = "",
  MCP_CONFORMANCE_CONTEXT: context = "{}",
} = process.env;

if (url === undefined) throw new Error("Give the URL of a server as the last argument.");
const scenario = scenarios.get(name);
if (scenario === undefined) throw new Error(`There is no scenario "${name}" here.`);

const client = await connect(url, {
  info: { name: "toolwire-conformance-client", version: "1.0.0" },
  ...(isRevision(revision) && { revision }),
  ...scenario.options,
});
await scenario.run(client, JSON.parse(context));
await client.close();
