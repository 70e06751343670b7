import { mergeConfig } from "vitest/config";
import shared from "../../../vitest.config.ts";

const config = mergeConfig(shared, {});
config.test = { include: ["test/contracts/runners/vitest.mjs"] };
export default config;
