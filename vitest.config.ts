import { defineConfig } from "vitest/config";

// Workspace packages resolve to their sources, so that tests need no build. The rest are Vite's defaults for Node.
const conditions = ["@toolwire/source", "module", "node", "development|production"];

const isCi = process.env["CI"] !== undefined;
const reporters = [
  isCi ? "dot" : "default",
  ...(process.env["GITHUB_ACTIONS"] === undefined ? [] : ["github-actions"]),
];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["{packages,apps}/*/test/**/*.test.ts", "test/**/*.test.ts"],
    // In CI, only failures and what they printed are of interest.
    reporters,
    silent: isCi ? "passed-only" : false,
    // Vitest leaves a core to itself. With two cores, that is half of the machine, and many tests only wait for others.
    maxWorkers: "100%",
    // Tests start real processes and servers: a generous ceiling, for slow machines only.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
    typecheck: {
      include: ["packages/*/test/**/*.test-d.ts"],
      tsconfig: "tsconfig.type-tests.json",
      // `npm run typecheck` reports those, with each package's own settings.
      ignoreSourceErrors: true,
    },
  },
});
