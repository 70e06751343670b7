import { describe, it } from "vitest";
import { createMemoryChannels } from "../../src/index.ts";
import { channelContract, registerContract } from "../../src/testing/index.ts";

registerContract(
  "createMemoryChannels",
  channelContract({
    connect() {
      const [client, server] = createMemoryChannels();
      return { client, server };
    },
    passesObjects: true,
    timeout: 20_000,
  }),
  { describe, it },
);
