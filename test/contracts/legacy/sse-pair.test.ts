import { createSsePairChannel } from "@toolwire/client/http";
import { Multiplexer } from "@toolwire/protocol/internal";
import { registerContract } from "@toolwire/protocol/testing";
import { describe, it } from "vitest";
import { httpContract } from "../http-contract.ts";

registerContract(
  "The HTTP+SSE pair of 2024-11-05",
  httpContract((url) => new Multiplexer(createSsePairChannel(new URL("/sse", url))), { legacy: { sse: true } }),
  { describe, it },
);
