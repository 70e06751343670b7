import { describe, it } from "node:test";
import { channelContract, registerContract } from "@toolwire/protocol/testing";
import { options } from "./memory-channels.mjs";

registerContract("A memory channel", channelContract(options), { describe, it });
