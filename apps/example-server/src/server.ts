import { createAjvValidator } from "@toolwire/json-schema/ajv";
import { createServer } from "@toolwire/server";
import { prompts } from "./prompts/index.ts";
import { HEARTBEAT_URI } from "./resources/heartbeat-resource.ts";
import { resources } from "./resources/index.ts";
import { heartbeat } from "./simulation/heartbeat.ts";
import { simulatedLogging } from "./simulation/simulated-logging.ts";
import { tools } from "./tools/index.ts";

/** The server: defined once, served over any number of transports. Its type gives clients the types of its tools. */
export const server = createServer({
  name: "toolwire-example",
  version: "1.0.0",
  title: "Toolwire example",
  description: "Shows every feature of the Model Context Protocol.",
  instructions:
    "This server is there to be tried out: what its tools answer is made up. " +
    "Read demo://resource/static/document/welcome.md to learn where to begin.",
  tools,
  resources,
  prompts,
  middleware: [simulatedLogging.middleware],
  // All schemas are our own, so they may be compiled: that pays where arguments are large.
  validator: createAjvValidator(),
});

heartbeat.onBeat(() => server.resources.updated(HEARTBEAT_URI));
