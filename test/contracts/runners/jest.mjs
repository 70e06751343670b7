import { channelContract, registerContract } from "@toolwire/protocol/testing";
import { options } from "./memory-channels.mjs";

// Jest has `describe` and `it` as globals.
const runner = /** @type {import("@toolwire/protocol/testing").TestRunner} */ (/** @type {unknown} */ (globalThis));
registerContract("A memory channel", channelContract(options), runner);
