/** server/tools, resources, prompts, utilities/logging and utilities/completion of 2025-11-25: what differs from 2026-07-28. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createServer, prompt, resource, tool, ToolError } from "../../../src/index.ts";
import { LegacyClient, MemoryClient } from "../../memory-client.ts";

const server = createServer({
  name: "features",
  version: "1",
  onDiagnostic: () => {},
  tools: {
    echo: tool({
      input: z.object({ text: z.string() }),
      output: z.object({ text: z.string() }),
      run: ({ text }) => ({ text }),
    }),
    fails: tool({
      run() {
        throw new ToolError("Try again");
      },
    }),
    talks: tool({
      run(_args, ctx) {
        ctx.log("debug", "d");
        ctx.log("info", "i");
        ctx.log("error", { e: 1 }, "part");
      },
    }),
  },
  resources: {
    a: resource({ uri: "a://1", read: () => "one" }),
    family: resource({ template: "b://{n}", read: ({ n }) => n }),
  },
  prompts: { p: prompt({ arguments: { x: { required: true, complete: () => ["1"] } }, get: ({ x }) => x }) },
});

describe("tools", () => {
  test("servers MUST declare the capability, and serve list and call", async () => {
    const client = await LegacyClient.open(server);
    expect((await client.request("tools/list")).tools).toHaveLength(3);
    expect(await client.callTool("echo", { text: "hi" })).toStrictEqual({
      content: [{ type: "text", text: '{"text":"hi"}' }],
      structuredContent: { text: "hi" },
    });
  });

  test("input errors are tool execution errors; unknown tools protocol errors", async () => {
    const client = await LegacyClient.open(server);
    expect(await client.callTool("echo", {})).toMatchObject({ isError: true });
    expect(await client.callTool("fails")).toStrictEqual({
      content: [{ type: "text", text: "Try again" }],
      isError: true,
    });
    await expect(client.callTool("nope")).rejects.toMatchObject({ code: -32602 });
  });
});

describe("resources", () => {
  test("a resource that does not exist yields -32002 with its uri", async () => {
    const client = await LegacyClient.open(server);
    for (const method of ["resources/read", "resources/subscribe"]) {
      await expect(client.request(method, { uri: "a://none" })).rejects.toMatchObject({
        code: -32002,
        data: { uri: "a://none" },
      });
    }
  });

  test("subscribers are notified until they unsubscribe", async () => {
    const client = await LegacyClient.open(server);
    expect(await client.request("resources/subscribe", { uri: "a://1" })).toStrictEqual({});
    expect(await client.request("resources/subscribe", { uri: "b://7" })).toStrictEqual({});
    server.resources.updated("a://1");
    server.resources.updated("b://8");
    server.resources.updated("b://7");
    await client.notification("notifications/resources/updated", 2);
    expect(client.notifications("notifications/resources/updated").map(({ params }) => params.uri)).toStrictEqual([
      "a://1",
      "b://7",
    ]);
    expect(await client.request("resources/unsubscribe", { uri: "a://1" })).toStrictEqual({});
    server.resources.updated("a://1");
    server.resources.updated("b://7");
    await client.notification("notifications/resources/updated", 3);
    expect(client.notifications("notifications/resources/updated").at(-1).params.uri).toBe("b://7");
  });

  test("unsubscribing from what was never subscribed to is fine", async () => {
    const client = await LegacyClient.open(server);
    expect(await client.request("resources/unsubscribe", { uri: "a://1" })).toStrictEqual({});
  });

  test("a session may watch many resources, but not any number", async () => {
    const client = await LegacyClient.open(server);
    for (let n = 0; n < 1000; n += 1) await client.request("resources/subscribe", { uri: `b://${n}` });
    await expect(client.request("resources/subscribe", { uri: "b://one-more" })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test("subscriptions of one session are not those of another, and end with it", async () => {
    const [one, two] = [await LegacyClient.open(server), await LegacyClient.open(server)];
    await one.request("resources/subscribe", { uri: "a://1" });
    server.resources.updated("a://1");
    await one.notification("notifications/resources/updated");
    await one.disconnect();
    server.resources.updated("a://1");
    await two.request("ping");
    expect(two.notifications("notifications/resources/updated")).toHaveLength(0);
    expect(one.notifications("notifications/resources/updated")).toHaveLength(1);
  });
});

describe("prompts and completion", () => {
  test("are served as in the modern era", async () => {
    const client = await LegacyClient.open(server);
    expect(await client.request("prompts/get", { name: "p", arguments: { x: "1" } })).toStrictEqual({
      messages: [{ role: "user", content: { type: "text", text: "1" } }],
    });
    await expect(client.request("prompts/get", { name: "p" })).rejects.toMatchObject({ code: -32602 });
    expect(
      await client.request("completion/complete", {
        ref: { type: "ref/prompt", name: "p" },
        argument: { name: "x", value: "" },
      }),
    ).toStrictEqual({
      completion: { values: ["1"] },
    });
  });

  test("completions MUST be declared, from 2025-03-26 on", async () => {
    for (const revision of ["2025-11-25", "2024-11-05"] as const) {
      const client = new MemoryClient(server, revision);
      const { capabilities } = await client.request("initialize", {
        protocolVersion: revision,
        clientInfo: { name: "c", version: "1" },
        capabilities: {},
      });
      expect("completions" in capabilities).toBe(revision === "2025-11-25");
    }
  });
});

describe("logging", () => {
  const levels = (client: LegacyClient): string[] =>
    client.notifications("notifications/message").map(({ params }) => params.level);

  test("before a level is set, messages from info on are sent", async () => {
    const client = await LegacyClient.open(server);
    await client.callTool("talks");
    expect(levels(client)).toStrictEqual(["info", "error"]);
    expect(client.notifications("notifications/message")[1].params).toStrictEqual({
      level: "error",
      logger: "part",
      data: { e: 1 },
    });
  });

  test.each([
    ["debug", ["debug", "info", "error"]],
    ["error", ["error"]],
    ["emergency", []],
  ])("after %s was set, what is at or above it is sent", async (level, expected) => {
    const client = await LegacyClient.open(server);
    expect(await client.request("logging/setLevel", { level })).toStrictEqual({});
    await client.callTool("talks");
    expect(levels(client)).toStrictEqual(expected);
  });

  test("an invalid level SHOULD yield -32602", async () => {
    const client = await LegacyClient.open(server);
    for (const params of [{ level: "loud" }, {}, undefined]) {
      await expect(client.request("logging/setLevel", params)).rejects.toMatchObject({ code: -32602 });
    }
  });

  test("the level of one session is not that of another", async () => {
    const [one, two] = [await LegacyClient.open(server), await LegacyClient.open(server)];
    await one.request("logging/setLevel", { level: "emergency" });
    await two.callTool("talks");
    expect(levels(two)).toStrictEqual(["info", "error"]);
  });

  test("plain requests get an answer and nothing else", async () => {
    const client = new MemoryClient(server, "2025-11-25");
    await client.request("tools/call", { name: "talks" });
    expect(client.received).toHaveLength(1);
  });
});
