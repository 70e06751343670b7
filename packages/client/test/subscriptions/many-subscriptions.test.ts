import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bundleFixture } from "../../../../test/bundle-fixture.ts";

const program = await bundleFixture(new URL("./fixtures/subscribe-many-times.ts", import.meta.url));

test("thousands of subscriptions over one connection leave nothing behind", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", program]);
  const { modern, legacy } = JSON.parse(stdout) as { modern: number; legacy: number };
  // Each is of several kilobytes while it lasts.
  expect(modern).toBeLessThan(1000);
  expect(legacy).toBeLessThan(1000);
});
