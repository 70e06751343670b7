import { connect, type Client, type ConnectOptions, textOf } from "@toolwire/client";
import { type TaskHandle, tasks } from "@toolwire/client/tasks";
import type { Era } from "@toolwire/protocol";
import { createServer, tool } from "@toolwire/server";
import { createMemoryEngine } from "@toolwire/server/cluster";
import { tasks as serverTasks } from "@toolwire/server/tasks";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { eventually } from "../../../../test/eventually.ts";

import type { ServerConfig, UpstreamConfig } from "../../src/config/config.ts";
import type { GatewayOptions } from "../../src/gateway.ts";
import { type LocalGateway, startLocal } from "../local-gateway.ts";
import { ERAS, overHttp } from "./hosting.ts";

const SECRET = "upstream-credential-4711";

/** An upstream that insists on tasks, and repeats its credentials wherever it can. */
function createUpstream() {
  const aborted: string[] = [];
  const task = { mode: "required", poll: 1 } as const;
  const server = createServer({
    name: "upstream",
    version: "1.0.0",
    onDiagnostic: () => {},
    extensions: [serverTasks({ sweepInterval: 20 })],
    tools: {
      report: tool({
        task,
        async run(_args, ctx) {
          ctx.task.say(`Using ${SECRET}`);
          return `A report by ${SECRET}`;
        },
      }),
      hold: tool({
        task,
        run: (_args, ctx) =>
          new Promise<string>((_resolve, reject) => {
            ctx.task.say(`Holding ${SECRET}`);
            ctx.signal.addEventListener("abort", () => {
              aborted.push("hold");
              reject(ctx.signal.reason as Error);
            });
          }),
      }),
      greet: tool({
        task,
        async run(_args, ctx) {
          const { name } = await ctx.elicit("who", { message: "Who?", schema: z.object({ name: z.string() }) });
          return `Hello, ${name}!`;
        },
      }),
      fail: tool({
        task,
        run: (): string => {
          throw new Error("never told");
        },
      }),
    },
  });
  return { server, aborted };
}

async function start(more: Partial<ServerConfig> = {}, options: GatewayOptions = {}) {
  const { server, aborted } = createUpstream();
  const url = await overHttp(server);
  const up: UpstreamConfig = { url, prefix: "up", auth: { bearer: SECRET } };
  const local = await startLocal({ door: { upstreams: { up }, ...more } }, { options });
  onTestFinished(() => local[Symbol.asyncDispose]());
  return { local, aborted };
}

async function join({ gateway }: LocalGateway, era: Era, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(`${gateway.url}/mcp/door`, { memory: false, era, extensions: [tasks()], ...options });
  onTestFinished(() => client.close());
  return client;
}

async function begin(client: Client, name: string): Promise<TaskHandle<object>> {
  return (await client.callTool(name, {}, { task: true })) as unknown as TaskHandle<object>;
}

const outcomes = ({ records }: LocalGateway) => records.map(({ tool: name, outcome }) => `${name} ${outcome}`);

describe.each(ERAS)("a caller of the %s era", (era) => {
  test("gets a task of the gateway, without credentials of the upstream, as one call in the log", async () => {
    const { local } = await start();
    const handle = await begin(await join(local, era), "up_report");
    expect(handle.id).toBeDefined();
    expect(textOf((await handle.result()) as never)).not.toContain(SECRET);
    await eventually(() => expect(outcomes(local)).toEqual(["up_report ok"]));
    expect(JSON.stringify(local.records)).not.toContain(SECRET);
    expect(local.records[0]?.steps.call).toBeGreaterThan(0);
  });

  test("answers a question of a task, which is one call in the log and in the limits", async () => {
    const { local } = await start({ limits: { perMinute: 1 } });
    const client = await join(local, era, {
      elicitation: () => ({ action: "accept", content: { name: "Ada" } }),
    });
    const handle = await begin(client, "up_greet");
    expect(textOf((await handle.result()) as never)).toBe("Hello, Ada!");
    await eventually(() => expect(outcomes(local)).toEqual(["up_greet ok"]));
    expect(textOf(await client.callTool("up_report"))).toMatch(/limit|minute/iu);
  });

  test("cancels a task, which reaches the upstream and the log", async () => {
    const { local, aborted } = await start();
    const handle = await begin(await join(local, era), "up_hold");
    await eventually(async () => expect((await handle.refresh()).message).toContain("Holding"));
    expect(handle.state.message).not.toContain(SECRET);
    await handle.cancel();
    await eventually(() => expect(aborted).toEqual(["hold"]));
    await eventually(() => expect(outcomes(local)).toEqual(["up_hold cancelled"]));
  });

  test("cancels a task that waits for an answer, which is one call in the log", async () => {
    const { local } = await start();
    let wasAsked = false;
    const client = await join(local, era, {
      elicitation: () => {
        wasAsked = true;
        return new Promise<never>(() => {});
      },
    });
    const handle = await begin(client, "up_greet");
    await eventually(() => expect(wasAsked).toBe(true));
    expect(outcomes(local)).toEqual([]);
    await handle.cancel();
    await eventually(() => expect(outcomes(local)).toEqual(["up_greet cancelled"]));
  });

  test("waits for the result if it does not know tasks", async () => {
    const { local } = await start();
    const client = await join(local, era, { extensions: [] });
    expect(textOf(await client.callTool("up_report"))).toMatch(/^A report by /u);
    expect(outcomes(local)).toEqual(["up_report ok"]);
  });

  test("gets no task of a tool that it may not call", async () => {
    const { local } = await start({ access: [{ tools: ["up_report"], allow: false }] });
    const client = await join(local, era);
    await expect(client.callTool("up_report")).rejects.toMatchObject({ code: -32602 });
  });
});

test("a task that waits when the gateway ends gets its record then", async () => {
  const { local } = await start();
  let wasAsked = false;
  const client = await join(local, "modern", {
    elicitation: () => {
      wasAsked = true;
      return new Promise<never>(() => {});
    },
  });
  await begin(client, "up_greet");
  await eventually(() => expect(wasAsked).toBe(true));
  await local.gateway.close();
  expect(outcomes(local)).toEqual(["up_greet cancelled"]);
});

test("in a cluster, where another gateway would not find the task, callers wait for the result", async () => {
  const cluster = createMemoryEngine().connect();
  onTestFinished(() => cluster.close());
  const { local } = await start({}, { cluster });
  const client = await join(local, "modern");
  const handle = await begin(client, "up_report");
  expect(handle.id).toBeUndefined();
  expect(textOf((await handle.result()) as never)).toMatch(/^A report by /u);
  expect(client.capabilities.extensions ?? {}).not.toHaveProperty(["io.modelcontextprotocol/tasks"]);
});

test("another caller finds nothing of a task, although both share the connection to the upstream", async () => {
  const { local } = await start({ auth: { apiKeys: true } } as never);
  const callerOf = async (principal: string): Promise<Client> =>
    join(local, "modern", { http: { headers: await local.key({ principal }) } });
  const handle = await begin(await callerOf("ada"), "up_report");
  const eve = await callerOf("eve");
  await expect(eve.request("tasks/get", { taskId: handle.id })).rejects.toMatchObject({ code: -32602 });
  expect(textOf((await handle.result()) as never)).toMatch(/^A report by /u);
});
