import { textOf } from "@toolwire/client";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { commandOf, host } from "./hosting.ts";

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("processes-get-only-what-is-given: the configured variables, and the few that every program needs", async () => {
  process.env["GATEWAY_CANARY"] = "canary-of-the-gateway";
  onTestFinished(() => {
    delete process.env["GATEWAY_CANARY"];
  });
  const env = { GIVEN: "yes", TOKEN: "${secret:token}" };
  const { connect } = await host({ one: { ...commandOf("fixtures/stdio-upstream.ts", "modern"), env } });
  const client = await connect();
  const text = textOf(await client.callTool("environment"));
  expect(text).not.toContain("canary-of-the-gateway");
  const seen = JSON.parse(text) as Record<string, string>;
  // The process has the value. Callers do not get to see it.
  expect(seen).toMatchObject({ GIVEN: "yes", TOKEN: "[secret]" });
  const usual = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
  // Some platforms add variables of their own to every process.
  const further = Object.keys(seen).filter((name) => !usual.includes(name) && !/^(GIVEN|TOKEN|__.*|_)$/.test(name));
  expect(further).toEqual([]);
});

test("processes-get-only-what-is-given: one process for all calls, and none after the end", async () => {
  const { connect, upstreams } = await host({ one: commandOf("fixtures/stdio-upstream.ts", "legacy") });
  const clients = await Promise.all(Array.from({ length: 4 }, (_, index) => connect({ as: `user${index}` })));
  const calls = clients.flatMap((client) => Array.from({ length: 25 }, () => client.callTool("caller")));
  const answers = (await Promise.all(calls)).map((result) => JSON.parse(textOf(result)) as { pid: number });
  const pids = new Set(answers.map(({ pid }) => pid));
  expect(pids.size).toBe(1);
  expect(upstreams[0]!.status().connections).toBe(1);
  await upstreams[0]!.close();
  for (const pid of pids) expect(isAlive(pid)).toBe(false);
});

test("processes-get-only-what-is-given: calls that may be asked have processes of their own, but not more than eight", async () => {
  const { connect, upstreams } = await host({ one: commandOf("fixtures/stdio-upstream.ts", "legacy") });
  const client = await connect({ roots: [] });
  const calls = Array.from({ length: 24 }, () => client.callTool("caller"));
  const answers = (await Promise.all(calls)).map((result) => JSON.parse(textOf(result)) as { pid: number });
  const pids = new Set(answers.map(({ pid }) => pid));
  expect(pids.size).toBeLessThanOrEqual(8);
  // And the one that all others share.
  expect(upstreams[0]!.status().connections).toBeLessThanOrEqual(9);
  await upstreams[0]!.close();
  for (const pid of pids) expect(isAlive(pid)).toBe(false);
});

test("processes-get-only-what-is-given: a process that dies is started again, and the call that it served fails", async () => {
  const { connect } = await host({ one: commandOf("fixtures/stdio-upstream.ts", "modern") });
  const client = await connect();
  const { pid } = JSON.parse(textOf(await client.callTool("caller"))) as { pid: number };
  const waiting = client.callTool("wait", {}, { onProgress: () => process.kill(pid, "SIGKILL") });
  await expect(waiting).resolves.toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("was lost before it answered") as string }],
  });
  await eventually(async () => {
    const answer = await client.callTool("caller");
    expect((JSON.parse(textOf(answer)) as { pid: number }).pid).not.toBe(pid);
  });
});
