import { createMemoryChannels, serveChannel } from "@toolwire/server/channel";
import { expect, test } from "vitest";
import { nameRuntime } from "../../src/fixture/runtime-name.ts";
import { createFixture } from "../../src/fixture/server.ts";
import { REVISIONS } from "../../src/pairs/pairs.ts";
import { runTask } from "../../src/programs/task.ts";
import { runClient } from "../../src/steps/client-steps.ts";
import { attempt } from "../../src/steps/outcomes.ts";

test.each(REVISIONS)("both halves go through all steps here, in %s", async (revision) => {
  const outcomes = await runTask({ meeting: { client: nameRuntime(), server: nameRuntime(), revision } });

  expect(Object.keys(outcomes).length).toBeGreaterThan(20);
  expect(new Set(Object.values(outcomes))).toEqual(new Set(["passed"]));
});

test("a peer that is another one than expected is found out", async () => {
  const [near, far] = createMemoryChannels();
  serveChannel(createFixture(), far);
  const { meet } = await runClient(near, { client: nameRuntime(), server: "Node 0.1", revision: "2026-07-28" });

  expect(meet).toEqual({ failed: expect.stringContaining('the server\'s runtime should be "Node 0.1"') });
});

test("a server that is not there is an outcome", async () => {
  const meeting = { client: nameRuntime(), server: nameRuntime(), revision: "2026-07-28" } as const;
  const outcomes = await runTask({ meeting, target: "http://127.0.0.1:1/mcp" });

  expect(Object.keys(outcomes)).toEqual(["connect"]);
  expect(outcomes["connect"]).toEqual({ failed: expect.stringContaining("127.0.0.1:1") });
});

test("a step that throws has failed", async () => {
  expect(await attempt(() => Promise.reject(new TypeError("no")))).toEqual({ failed: "TypeError: no" });
});
