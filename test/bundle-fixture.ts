import { build } from "esbuild";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

/**
 * Makes one file of a TypeScript program and the sources of the workspace, which any Node can start at once. For tests
 * that need real processes. Await it at the top of the test file: inside of a hook, Vitest forgets the one that cleans up.
 */
export async function bundleFixture(entry: URL): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "toolwire-fixture-"));
  afterAll(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, "fixture.mjs");
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@toolwire/source"],
    logLevel: "warning",
    // CommonJS dependencies call `require`, which modules do not have.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  return file;
}
