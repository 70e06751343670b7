import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bundleFixture } from "../../../../test/bundle-fixture.ts";

const program = await bundleFixture(new URL("./fixtures/share-one-signal.ts", import.meta.url));

test("a thousand calls can share one signal: no warning of Node, and no listener is left", async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program]);
  // Whatever Node warns of, it writes there.
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({ most: 1, left: 0 });
});
