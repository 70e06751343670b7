import { channelContract, registerContract } from "@toolwire/protocol/testing";
import { describe, it } from "vitest";
import { options } from "./memory-channels.mjs";

registerContract("A memory channel", channelContract(options), { describe, it });
