/** basic/lifecycle and basic/utilities (ping, progress, cancellation) of 2025-11-25, and what differs before it. */
import { REVISIONS, type Revision } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { audio, createServer, resourceLink, tool } from "../../../src/index.ts";
import { defer, LegacyClient, WireClient } from "../../wire-client.ts";

const LEGACY: readonly Revision[] = REVISIONS.filter((revision) => revision !== "2026-07-28");
const clientInfo = { name: "c", version: "1" };

const aborted = defer<unknown>();
const server = createServer({
  name: "lifecycle",
  version: "1.2.3",
  title: "Lifecycle",
  description: "A server",
  websiteUrl: "https://example.com",
  icons: [{ src: "https://example.com/i.png" }],
  instructions: "Be kind.",
  tools: {
    sees: tool({
      run: (_args, ctx) =>
        JSON.stringify({ revision: ctx.revision, era: ctx.era, info: ctx.clientInfo, can: ctx.clientCapabilities }),
    }),
    steps: tool({ run: (_args, ctx) => [1, 2, 2].forEach((step) => ctx.progress(step, 3, "going")) }),
    wait: tool({
      run: async (_args, ctx) =>
        new Promise<void>((resolve) => {
          ctx.signal.addEventListener("abort", () => {
            aborted.resolve(ctx.signal.reason);
            resolve();
          });
        }),
    }),
    rich: tool({
      title: "Rich",
      annotations: { readOnlyHint: true },
      icons: [{ src: "https://example.com/i.png" }],
      output: z.array(z.number()),
      run: () => [1, 2],
    }),
    media: tool({ run: () => [audio("AQID", "audio/wav"), resourceLink({ uri: "a://b", name: "b" })] }),
  },
});

describe("initialization", () => {
  test.each(LEGACY)(
    "the server MUST answer %s with the same version, and with capabilities and information of that version",
    async (revision) => {
      const client = new WireClient(server, revision);
      const result = await client.request("initialize", { protocolVersion: revision, clientInfo, capabilities: {} });
      expect(result).toMatchObject({
        protocolVersion: revision,
        serverInfo: { name: "lifecycle", version: "1.2.3" },
        capabilities: { tools: { listChanged: true }, logging: {} },
        instructions: "Be kind.",
      });
      expect(result.serverInfo.title).toBe(revision >= "2025-06-18" ? "Lifecycle" : undefined);
    },
  );

  test.each(["2023-01-01", "2199-01-01", "2026-07-28", "1.0.0", ""])(
    "asked for %j, it MUST answer with another it supports, which SHOULD be its latest",
    async (protocolVersion) => {
      const client = new WireClient(server, "2025-11-25");
      expect(await client.request("initialize", { protocolVersion, clientInfo, capabilities: {} })).toMatchObject({
        protocolVersion: "2025-11-25",
      });
    },
  );

  test("only revisions that the server was told to speak are agreed on", async () => {
    const old = createServer({ name: "o", version: "1", revisions: ["2024-11-05", "2025-06-18"], tools: {} });
    for (const [requested, agreed] of [
      ["2024-11-05", "2024-11-05"],
      ["2025-11-25", "2025-06-18"],
      ["2025-03-26", "2025-06-18"],
    ] as const) {
      const client = new WireClient(old, agreed);
      expect(
        await client.request("initialize", { protocolVersion: requested, clientInfo, capabilities: {} }),
      ).toMatchObject({ protocolVersion: agreed });
    }
  });

  test.each([
    undefined,
    {},
    { protocolVersion: 1, clientInfo, capabilities: {} },
    { protocolVersion: "2025-11-25", clientInfo },
    { protocolVersion: "2025-11-25", clientInfo: {}, capabilities: {} },
    { protocolVersion: "2025-11-25", clientInfo, capabilities: [] },
  ])("a malformed handshake is refused with -32602, and establishes nothing: %j", async (params) => {
    const client = new WireClient(server, "2025-11-25");
    await expect(client.request("initialize", params)).rejects.toMatchObject({ code: -32602 });
    const { content } = await client.request("tools/call", { name: "sees" });
    expect(JSON.parse(content[0].text).can).toStrictEqual({});
  });

  test("both parties MUST respect the negotiated version: handlers know it, and what it says of the client", async () => {
    const client = await LegacyClient.open(server, {
      revision: "2025-03-26",
      capabilities: { roots: { listChanged: true } },
    });
    const { content } = await client.callTool("sees");
    expect(JSON.parse(content[0].text)).toStrictEqual({
      revision: "2025-03-26",
      era: "legacy",
      info: { name: "test", version: "1" },
      can: { roots: { listChanged: true } },
    });
  });

  test("nothing unasked SHOULD be sent before the client is initialized", async () => {
    const changing = createServer({ name: "c", version: "1", tools: {} });
    const client = new WireClient(changing, "2025-11-25");
    await client.request("initialize", { protocolVersion: "2025-11-25", clientInfo, capabilities: {} });
    changing.tools.add("a", tool({ run: () => "" }));
    expect(await client.request("ping")).toStrictEqual({});
    expect(client.notifications("notifications/tools/list_changed")).toHaveLength(0);
    client.notify("notifications/initialized");
    await client.request("ping");
    changing.tools.add("b", tool({ run: () => "" }));
    await client.notification("notifications/tools/list_changed");
  });

  test("a ping is answered before initialization too", async () => {
    expect(await new WireClient(server, "2025-11-25").request("ping")).toStrictEqual({});
  });

  test("requests without any handshake are answered as plain requests of the newest revision with one", async () => {
    const client = new WireClient(server, "2025-11-25");
    const { content } = await client.request("tools/call", { name: "sees" });
    expect(JSON.parse(content[0].text)).toStrictEqual({ revision: "2025-11-25", era: "legacy", can: {} });
    await expect(client.request("no/such")).rejects.toMatchObject({ code: -32601 });
  });

  test.each(["server/discover", "subscriptions/listen"])("%s does not exist in a legacy session", async (method) => {
    const client = await LegacyClient.open(server);
    await expect(client.request(method, {})).rejects.toMatchObject({ code: -32601 });
  });
});

describe.each(LEGACY)("a message that is sent in %s", (revision) => {
  test("has only members that the revision can express (checked against its schema)", async () => {
    const client = await LegacyClient.open(server, { revision });
    const { tools } = await client.request("tools/list");
    const rich = tools.find(({ name }: { name: string }) => name === "rich");
    expect("title" in rich).toBe(revision >= "2025-06-18");
    expect("icons" in rich).toBe(revision >= "2025-11-25");
    // A list is no object, which is all that could be described before 2026-07-28.
    expect(rich).not.toHaveProperty("outputSchema");
    const result = await client.callTool("rich");
    expect(result.content).toStrictEqual([{ type: "text", text: "[1,2]" }]);
    expect(result).not.toHaveProperty("structuredContent");
    const { content } = await client.callTool("media");
    expect(content.map(({ type }: { type: string }) => type)).toStrictEqual([
      revision >= "2025-03-26" ? "audio" : "text",
      revision >= "2025-06-18" ? "resource_link" : "text",
    ]);
  });
});

describe("utilities", () => {
  test("the receiver of a ping MUST respond promptly with an empty response", async () => {
    const client = await LegacyClient.open(server);
    expect(await client.request("ping")).toStrictEqual({});
  });

  test("progress carries the token, increases, and has no message before 2025-03-26", async () => {
    for (const [revision, message] of [
      ["2025-11-25", { message: "going" }],
      ["2024-11-05", {}],
    ] as const) {
      const client = await LegacyClient.open(server, { revision });
      await client.callTool("steps", {}, { _meta: { progressToken: 0 } });
      expect(client.notifications("notifications/progress").map(({ params }) => params)).toStrictEqual([
        { progressToken: 0, progress: 1, total: 3, ...message },
        { progressToken: 0, progress: 2, total: 3, ...message },
      ]);
    }
  });

  test("a progress token of the wrong kind is ignored", async () => {
    const client = await LegacyClient.open(server);
    await client.callTool("steps", {}, { _meta: { progressToken: {} } });
    expect(client.notifications("notifications/progress")).toHaveLength(0);
  });

  test("cancellation stops the work, and no response is sent", async () => {
    const client = await LegacyClient.open(server);
    const { id } = client.start("tools/call", { name: "wait" });
    client.notify("notifications/cancelled", { requestId: id, reason: "enough" });
    expect(await aborted.promise).toMatchObject({ message: "enough" });
    await client.request("ping");
    expect(client.received.some((message) => "id" in message && message.id === id)).toBe(false);
  });
});

describe("batches", () => {
  const messages = [
    { jsonrpc: "2.0", id: "a", method: "ping" },
    { jsonrpc: "2.0", method: "notifications/roots/list_changed" },
    { jsonrpc: "2.0", id: "b", method: "no/such" },
  ] as const;

  test("are answered in 2025-03-26", async () => {
    const client = await LegacyClient.open(server, { revision: "2025-03-26" });
    client.sendBatch(messages);
    await client.until(() => client.received.length === 3);
    expect(client.received.slice(1)).toMatchObject(
      [
        { id: "b", error: { code: -32601 } },
        { id: "a", result: {} },
      ].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
  });

  test("are refused in 2025-11-25", async () => {
    const client = await LegacyClient.open(server, { revision: "2025-11-25" });
    client.sendBatch(messages);
    await client.until(() => client.received.length === 2);
    expect(client.received[1]).toMatchObject({ error: { code: -32600 } });
  });

  test.each(["2025-06-18", "2024-11-05"] as const)(
    "are refused in %s, request by request, since errors need an id there",
    async (revision) => {
      const client = await LegacyClient.open(server, { revision });
      client.sendBatch(messages);
      await client.until(() => client.received.length === 3);
      expect(client.received.slice(1)).toMatchObject([
        { id: "a", error: { code: -32600 } },
        { id: "b", error: { code: -32600 } },
      ]);
    },
  );
});
