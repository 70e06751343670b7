import { defineConfig } from "vitest/config";

// Workspace packages resolve to their sources, so that tests need no build. The rest are Vite's defaults for Node.
const conditions = ["@toolwire/source", "node", "development|production"];

/**
 * Tests that measure how work grows, wear limits down, kill processes again and again, wait for tokens to expire, start database
 * engines, terminals or compilers, bridge each era to each, follow guides from an empty folder, or take seconds each because they wait or start programs.
 * They take minutes, so that they have a command of their own: `npm run test:limits`.
 */
export const LONG_TESTS = [
  "{packages,apps}/*/test/linear-work/**/*.test.ts",
  "packages/*/test/abuse/**/*.test.ts",
  "apps/evidence/test/processes/process-group.test.ts",
  "apps/example-client/test/{partial-server,show,verbs}.test.ts",
  "apps/example-gateway/test/example.test.ts",
  "apps/example-server/test/{command-line,tools}.test.ts",
  "apps/interop/test/steps/run-steps.test.ts",
  "packages/json-schema/test/check/hostile.test.ts",
  "packages/server/test/bindings/http/node/hostile.test.ts",
  "packages/server/test/bindings/http/node/workers/**/*.test.ts",
  "packages/server/test/cluster/workers/**/*.test.ts",
  "packages/server/test/tasks/durability/**/*.test.ts",
  "packages/client/test/calls/notify.test.ts",
  "packages/client/test/connection/{faults,renewal,unsendable}.test.ts",
  "packages/client/test/auth/{expiry,flow,processes,refresh}.test.ts",
  "packages/gateway/test/cli/{init,serve-terminal}.test.ts",
  "packages/gateway/test/durability/**/*.test.ts",
  "packages/gateway/test/storage/**/*.test.ts",
  "packages/gateway/test/logins/{per-user,several-gateways}.test.ts",
  "packages/gateway/test/upstreams/{flooding-upstreams,principals-share-nothing,tasks}.test.ts",
  "packages/gateway/test/upstreams/{processes-get-only-what-is-given,upstreams-cannot-pose-as-others}.test.ts",
  "packages/gateway/test/workers/**/*.test.ts",
  "packages/gateway/test/log/{database-log,partitions}.test.ts",
  "packages/openapi/test/caller/guarded-caller.test.ts",
  "packages/openapi/test/import/threats.test.ts",
  "packages/protocol/test/testing/broken-channels.test.ts",
  "packages/relay/test/{bridge,cancellation,listings,tasks}.test.ts",
  "packages/server/test/bindings/{expiry,websocket/unawaited}.test.ts",
  "packages/server/test/cluster/faulty-engine.test.ts",
  "packages/server/test/legacy/http/cluster/engine-down.test.ts",
  "packages/server/test/testing/broken-engines.test.ts",
  "test/compiler-messages.test.ts",
  "test/contracts/runners.test.ts",
  "test/editor.test.ts",
  "test/entry-points.test.ts",
  "test/guides/**/*.test.ts",
  "test/login.test.ts",
  "test/regular-expressions.test.ts",
];

/** `npm run postgres` names its files, which are among the long ones. */
const runsOnPostgres = process.env["TOOLWIRE_TEST_POSTGRES"] !== undefined;

/** Need Redis, Valkey or Postgres: `npm run engines` runs them. */
const ENGINE_TESTS = [
  "packages/{gateway,postgres,redis}/test/engine/**/*.test.ts",
  "apps/engines/test/engine/**/*.test.ts",
  "test/engine/**/*.test.ts",
];

const runsOnEngines = process.env["TOOLWIRE_TEST_ENGINES"] !== undefined;

/** Installs packed packages by npm: a part of `npm run check:packages`. */
export const PACKED_TESTS = ["test/pack.test.ts"];

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
    exclude: [
      "**/node_modules/**",
      ...(runsOnPostgres ? [] : LONG_TESTS),
      ...(runsOnEngines ? [] : ENGINE_TESTS),
      ...PACKED_TESTS,
    ],
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
