import { describe, it } from "vitest";
import { createMemoryEngine } from "../../../src/cluster/index.ts";
import { clusterContract, registerContract } from "../../../src/testing/index.ts";

const engine = createMemoryEngine({ maxMessageBytes: 1_000_000 });

registerContract(
  "createMemoryEngine",
  clusterContract({
    connect: () => engine.connect(),
    maxMessageBytes: 1_000_000,
    maxChanges: 10_000,
    timeout: 20_000,
  }),
  { describe, it },
);
