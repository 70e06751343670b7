import { Multiplexer } from "@toolwire/protocol/internal";
import { exchangeContract, registerContract } from "@toolwire/protocol/testing";
import { serveInMemory } from "@toolwire/server/memory";
import { describe, it } from "vitest";
import { createAnsweringServer } from "./answering-server.ts";

registerContract(
  "serveInMemory",
  exchangeContract({
    connect: (peer) => ({ client: new Multiplexer(serveInMemory(createAnsweringServer(peer))) }),
    timeout: 20_000,
  }),
  { describe, it },
);
