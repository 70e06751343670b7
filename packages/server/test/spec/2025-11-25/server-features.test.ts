/** server/tools, resources, prompts, utilities/logging and utilities/completion of 2025-11-25: what differs from 2026-07-28. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  audio,
  createServer,
  embeddedResource,
  image,
  prompt,
  resource,
  tool,
  ToolError,
  type Server,
} from "../../../src/index.ts";
import { LegacyClient, WireClient, type Json } from "../../wire-client.ts";

const clientInfo = { name: "c", version: "1" };

function fail(): never {
  throw new Error("secret");
}

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
    unfit: tool({ output: z.object({ n: z.number() }), run: () => ({ n: "secret" }) as never }),
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
    bytes: resource({ uri: "a://bytes", mimeType: "image/png", read: () => new Uint8Array([0, 255]) }),
    broken: resource({ uri: "a://broken", read: fail }),
  },
  prompts: {
    p: prompt({
      arguments: { x: { required: true, complete: () => ["1"] }, y: { complete: () => ["b", "a", "c"] } },
      get: ({ x }) => x,
    }),
    media: prompt({
      get: () => [
        { role: "user", content: image(new Uint8Array([1, 2, 3]), "image/png") },
        { role: "user", content: audio(new Uint8Array([255]), "audio/wav") },
        { role: "user", content: embeddedResource({ uri: "a://1", mimeType: "text/plain", text: "x" }) },
        { role: "user", content: embeddedResource({ uri: "a://2", mimeType: "a/b", blob: new Uint8Array([255]) }) },
      ],
    }),
    broken: prompt({ arguments: { x: { complete: fail } }, get: fail }),
  },
});

const handshake = { protocolVersion: "2025-11-25", clientInfo, capabilities: {} };

describe("capabilities", () => {
  test("servers MUST declare what they support: tools, resources, prompts, completions, logging", async () => {
    const { capabilities } = await new WireClient(server, "2025-11-25").request("initialize", handshake);
    expect(capabilities).toStrictEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    });
  });

  test("features that are not supported are not declared, and not served", async () => {
    const bare = createServer({ name: "b", version: "1", logging: false });
    const client = new WireClient(bare, "2025-11-25");
    expect((await client.request("initialize", handshake)).capabilities).toStrictEqual({});
    for (const method of [
      "tools/list",
      "resources/list",
      "resources/templates/list",
      "resources/subscribe",
      "prompts/list",
      "completion/complete",
      "logging/setLevel",
    ]) {
      const given = { uri: "a://1", name: "a", level: "info" };
      await expect(client.request(method, given)).rejects.toMatchObject({ code: -32601 });
    }
  });
});

describe("changes", () => {
  const make = (): Server => createServer({ name: "c", version: "1", tools: {}, resources: {}, prompts: {} });
  const CHANGES: [string, (changing: Server) => void][] = [
    ["tools", (changing) => changing.tools.add("a", tool({ run: () => "" }))],
    ["resources", (changing) => changing.resources.add("a", resource({ uri: "a://b", read: () => "" }))],
    ["prompts", (changing) => changing.prompts.add("a", prompt({ get: () => "" }))],
  ];

  test.each(CHANGES)("servers SHOULD notify when the list of %s changes", async (list, change) => {
    const changing = make();
    const client = await LegacyClient.open(changing);
    expect((await client.request(`${list}/list`))[list]).toHaveLength(0);
    change(changing);
    const method = `notifications/${list}/list_changed`;
    expect(await client.notification(method)).toStrictEqual({ jsonrpc: "2.0", method });
    expect((await client.request(`${list}/list`))[list]).toHaveLength(1);
  });
});

describe("lists", () => {
  const LISTS = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];

  test.each(LISTS)("%s: an invalid cursor SHOULD yield -32602", async (method) => {
    const client = await LegacyClient.open(server);
    for (const cursor of ["", "x", "AAAA", "x".repeat(10_000)]) {
      await expect(client.request(method, { cursor })).rejects.toMatchObject({ code: -32602 });
    }
  });

  test.each(["tools/list", "resources/list", "prompts/list"])(
    "%s: cursors SHOULD be stable, on every connection",
    async (method) => {
      const paged = createServer({
        name: "p",
        version: "1",
        pageSize: 1,
        tools: { a: tool({ run: () => "" }), b: tool({ run: () => "" }) },
        resources: { a: resource({ uri: "a://1", read: () => "" }), b: resource({ uri: "a://2", read: () => "" }) },
        prompts: { a: prompt({ get: () => "" }), b: prompt({ get: () => "" }) },
      });
      const [one, two] = [await LegacyClient.open(paged), await LegacyClient.open(paged)];
      const { nextCursor } = await one.request(method);
      const page = await two.request(method, { cursor: nextCursor });
      expect(page).not.toHaveProperty("nextCursor");
      expect(await one.request(method, { cursor: nextCursor })).toStrictEqual(page);
    },
  );
});

describe("tools", () => {
  test("servers MUST declare the capability, and serve list and call", async () => {
    const client = await LegacyClient.open(server);
    expect((await client.request("tools/list")).tools).toHaveLength(4);
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

  test("names SHOULD be case-sensitive", async () => {
    const client = await LegacyClient.open(server);
    await expect(client.callTool("ECHO", { text: "hi" })).rejects.toMatchObject({ code: -32602 });
  });

  test("structured results MUST conform to the output schema: one that does not is not sent", async () => {
    const client = await LegacyClient.open(server);
    const result = await client.callTool("unfit");
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).not.toContain("secret");
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

  test("internal errors SHOULD yield -32603", async () => {
    const client = await LegacyClient.open(server);
    await expect(client.request("resources/read", { uri: "a://broken" })).rejects.toMatchObject({
      code: -32603,
      message: expect.not.stringContaining("secret"),
    });
  });

  test("URIs MUST be validated", async () => {
    const client = await LegacyClient.open(server);
    for (const uri of [undefined, 1, {}]) {
      await expect(client.request("resources/read", { uri })).rejects.toMatchObject({ code: -32602 });
    }
    for (const uri of ["", "no uri", "b:/1", "a://1/../2", "__proto__"]) {
      await expect(client.request("resources/read", { uri })).rejects.toMatchObject({ code: -32002, data: { uri } });
    }
  });

  test("binary data MUST be properly encoded", async () => {
    const client = await LegacyClient.open(server);
    expect(await client.request("resources/read", { uri: "a://bytes" })).toStrictEqual({
      contents: [{ uri: "a://bytes", mimeType: "image/png", blob: "AP8=" }],
    });
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

  test("images, audio and embedded resources MUST be base64 with a MIME type, or text", async () => {
    const client = await LegacyClient.open(server);
    const { messages } = await client.request("prompts/get", { name: "media" });
    expect(messages.map(({ content }: Json) => content)).toStrictEqual([
      { type: "image", data: "AQID", mimeType: "image/png" },
      { type: "audio", data: "/w==", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "a://1", mimeType: "text/plain", text: "x" } },
      { type: "resource", resource: { uri: "a://2", mimeType: "a/b", blob: "/w==" } },
    ]);
  });

  test("an invalid name or missing argument of a prompt SHOULD yield -32602, an internal error -32603", async () => {
    const client = await LegacyClient.open(server);
    const get = (name: string, given = {}): Promise<Json> => client.request("prompts/get", { name, arguments: given });
    await expect(get("nope")).rejects.toMatchObject({ code: -32602 });
    await expect(get("p")).rejects.toMatchObject({ code: -32602 });
    await expect(get("p", { x: 1 })).rejects.toMatchObject({ code: -32602 });
    await expect(get("broken")).rejects.toMatchObject({
      code: -32603,
      message: expect.not.stringContaining("secret"),
    });
  });

  const complete = async (name: string, argument: object): Promise<Json> =>
    (await LegacyClient.open(server)).request("completion/complete", { ref: { type: "ref/prompt", name }, argument });

  test("an invalid name or missing argument of a completion SHOULD yield -32602, an internal error -32603", async () => {
    await expect(complete("nope", { name: "x", value: "" })).rejects.toMatchObject({ code: -32602 });
    await expect(complete("p", { name: "nope", value: "" })).rejects.toMatchObject({ code: -32602 });
    await expect(complete("p", { name: "x" })).rejects.toMatchObject({ code: -32602 });
    await expect(complete("broken", { name: "x", value: "" })).rejects.toMatchObject({
      code: -32603,
      message: expect.not.stringContaining("secret"),
    });
  });

  test("suggestions SHOULD be sorted by relevance: the order is that of the handler", async () => {
    expect((await complete("p", { name: "y", value: "" })).completion.values).toStrictEqual(["b", "a", "c"]);
  });

  test("completions MUST be declared, from 2025-03-26 on", async () => {
    for (const revision of ["2025-11-25", "2024-11-05"] as const) {
      const client = new WireClient(server, revision);
      const { capabilities } = await client.request("initialize", {
        protocolVersion: revision,
        clientInfo,
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
    const client = new WireClient(server, "2025-11-25");
    await client.request("tools/call", { name: "talks" });
    expect(client.received).toHaveLength(1);
  });
});
