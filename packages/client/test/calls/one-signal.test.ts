import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { bundleFixture } from "../../../../test/bundle-fixture.ts";

let program = "";

beforeAll(async () => {
  program = await bundleFixture(new URL("./fixtures/one-signal.ts", import.meta.url));
}, 60_000);

test("a thousand calls can share one signal: no warning of Node, and no listener is left", async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program]);
  // Whatever Node warns of, it writes there.
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({ most: 1, left: 0 });
});
