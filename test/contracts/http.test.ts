import { createHttpTransport } from "@toolwire/client/http";
import { createNodeHttpTransport } from "@toolwire/client/node";
import { registerContract } from "@toolwire/protocol/testing";
import { describe, it } from "vitest";
import { httpContract } from "./http-contract.ts";

const runner = { describe, it };

registerContract("Streamable HTTP by fetch", httpContract(createHttpTransport), runner);
registerContract("Streamable HTTP by undici", httpContract(createNodeHttpTransport), runner);
registerContract(
  "Streamable HTTP with event streams alone",
  httpContract(createNodeHttpTransport, { responseMode: "sse" }),
  runner,
);
