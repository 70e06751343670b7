import { mergeConfig } from "vitest/config";
import base from "../../vitest.config.ts";

/** The quick tests, each of which writes down what it calls. */
export default mergeConfig(base, { test: { setupFiles: ["./scripts/mutants/record-coverage.mjs"] } });
