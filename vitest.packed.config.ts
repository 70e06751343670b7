import { mergeConfig } from "vitest/config";
import base, { PACKED_TESTS } from "./vitest.config.ts";

export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [] } },
  { test: { include: PACKED_TESTS, exclude: ["**/node_modules/**"] } },
);
