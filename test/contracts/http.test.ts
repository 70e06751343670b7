import { createHttpTransport } from "@toolwire/client/http";
import { registerContract } from "@toolwire/protocol/testing";
import { describe, it } from "vitest";
import { httpContract } from "./http-contract.ts";

const runner = { describe, it };

registerContract(
  "Streamable HTTP by fetch",
  httpContract((url) => createHttpTransport(url, { fetch })),
  runner,
);
registerContract("Streamable HTTP by undici", httpContract(createHttpTransport), runner);
registerContract(
  "Streamable HTTP with event streams alone",
  httpContract(createHttpTransport, { responseMode: "sse" }),
  runner,
);
