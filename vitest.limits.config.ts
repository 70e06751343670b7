import { mergeConfig } from "vitest/config";
import base, { LONG_TESTS } from "./vitest.config.ts";

export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [] } },
  { test: { include: LONG_TESTS, exclude: ["**/node_modules/**"] } },
);
