import { describe, expect, it } from "vitest";
import { RpcError } from "@toolwire/protocol";
import { tool } from "../../src/index.ts";
import { defer, type Json, LegacyClient, ModernClient } from "../wire-client.ts";
import { DECLARED, NAME, PLAIN, serveTasks } from "./task-server.ts";

const OVER = new Set(["completed", "cancelled"]);

describe("Races", () => {
  it("of cancellation and completion end in one of the two, for good, a thousand times", async () => {
    let finish: () => void = () => {};
    const job = tool({
      task: true,
      run: () =>
        new Promise<string>((resolve) => {
          finish = () => resolve("done");
        }),
    });
    const client = new ModernClient(serveTasks({ job }, { maxTasks: 2000, perCaller: 2000 }), {
      capabilities: DECLARED,
    });
    const seen = new Map<string, number>();
    for (let round = 0; round < 1000; round += 1) {
      const { taskId } = (await client.callTool("job")) as { taskId: string };
      const [first, second] = round % 2 === 0 ? [finish, undefined] : [undefined, finish];
      first?.();
      const cancelled = client.request("tasks/cancel", { taskId });
      second?.();
      await cancelled;
      const statuses: string[] = [];
      while (statuses.length < 3) {
        const { status } = (await client.request("tasks/get", { taskId })) as { status: string };
        if (OVER.has(status)) statuses.push(status);
      }
      expect(new Set(statuses).size).toBe(1);
      seen.set(statuses[0] ?? "", (seen.get(statuses[0] ?? "") ?? 0) + 1);
    }
    expect([...seen.keys()].every((status) => OVER.has(status))).toBe(true);
    await client.disconnect();
  });

  it("of an answer and a refusal are won by the answer that came first", async () => {
    let runs = 0;
    const held = defer();
    const job = tool({
      task: true,
      async run(_args, ctx) {
        runs += 1;
        const { name } = await ctx.elicit("who", NAME);
        await held.promise;
        return `Hello, ${name}!`;
      },
    });
    const server = serveTasks({ job });
    const client = new ModernClient(server, { capabilities: DECLARED });
    const [asked, refusal] = [defer(), defer()];
    const other = await LegacyClient.open(server, {
      capabilities: PLAIN,
      async answer() {
        asked.resolve();
        await refusal.promise;
        throw new RpcError(-32_600, "I will not say.");
      },
    });
    const { taskId } = (await client.callTool("job")) as { taskId: string };
    const result = other.request("tasks/result", { taskId });
    await asked.promise;
    const inputResponses = { who: { action: "accept", content: { name: "Ada" } } };
    await client.request("tasks/update", { taskId, inputResponses });
    await expect.poll(() => runs).toBe(2);
    refusal.resolve();
    await other.request("tasks/get", { taskId });
    expect((await client.request("tasks/get", { taskId })).status).toBe("working");
    held.resolve();
    expect((await result).content[0].text).toBe("Hello, Ada!");
    await Promise.all([client.disconnect(), other.disconnect()]);
  });

  it("of two answers to one question are won by one of them", async () => {
    const job = tool({
      task: true,
      async run(_args, ctx) {
        const { name } = await ctx.elicit("who", NAME);
        return ctx.once("name", () => name);
      },
    });
    const client = new ModernClient(serveTasks({ job }), { capabilities: DECLARED });
    for (let round = 0; round < 50; round += 1) {
      const { taskId } = (await client.callTool("job")) as { taskId: string };
      let task: Json = {};
      while (task.status !== "input_required") task = await client.request("tasks/get", { taskId });
      const names = ["Ada", "Grace", "Mary"];
      await Promise.all(
        names.map((name) =>
          client.request("tasks/update", { taskId, inputResponses: { who: { action: "accept", content: { name } } } }),
        ),
      );
      while (task.status !== "completed") task = await client.request("tasks/get", { taskId });
      expect(names).toContain(task.result.content[0].text);
    }
    await client.disconnect();
  });
});
