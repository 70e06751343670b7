import { jsonSchema, createServer, resource, tool } from "../../src/index.ts";
import { describe, expect, test } from "vitest";
import { BOTH, initialize, post, readJson } from "../bindings/http/client.ts";
import { PLATFORMS } from "../bindings/http/platforms.ts";
import { WireClient, type Json } from "../wire-client.ts";

/** Says what it knows about its client, and lets it watch any resource. */
const server = createServer({
  name: "keeper",
  version: "1",
  onDiagnostic() {},
  tools: {
    whoami: tool({
      output: jsonSchema<object>({ type: "object" }),
      run: (_args, { clientInfo, clientCapabilities }) => ({ clientInfo, clientCapabilities }),
    }),
  },
  resources: { any: resource({ template: "x://{+path}", read: () => "" }) },
});

const INFO = { name: "test", version: "1" };

/** A handshake whose client says so many characters about itself, as a name, as a capability or as something unknown. */
function handshakes(length: number): object[] {
  const text = "x".repeat(length);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO };
  return [
    { ...params, clientInfo: { name: text, version: "1" } },
    { ...params, clientInfo: { name: "test", version: "1", unknown: text } },
    { ...params, capabilities: { experimental: { text: { text } } } },
  ];
}

/** Introduces a client over a channel, and returns what a handler then knows about it. */
async function introduce(clientInfo: object, capabilities: object): Promise<Json> {
  const client = new WireClient(server, "2025-11-25");
  await client.request("initialize", { protocolVersion: "2025-11-25", clientInfo, capabilities });
  client.notify("notifications/initialized");
  const { structuredContent } = await client.request("tools/call", { name: "whoami" });
  await client.disconnect();
  return structuredContent;
}

describe("the description of a legacy client that is kept as long as its session", () => {
  test("is everything that a client of the usual kind says about itself", async () => {
    const clientInfo = {
      ...INFO,
      title: "Test client",
      description: "Tests servers",
      websiteUrl: "https://client.example.com/",
      icons: [{ src: "https://client.example.com/icon.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }],
      vendor: { name: "Example", year: 2025 },
    };
    const capabilities = {
      elicitation: { form: {}, url: {} },
      sampling: { tools: {}, context: {} },
      roots: { listChanged: true },
      tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } },
      extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
      experimental: { "com.example/beep": { volume: 11 } },
      "com.example/unknown": { list: [1, "two", null, true] },
    };
    expect(await introduce(clientInfo, capabilities)).toEqual({ clientInfo, clientCapabilities: capabilities });
  });

  test("is at most 2,048 characters about its program: what matters least is left out", async () => {
    const icons = [{ src: `data:image/png;base64,${"A".repeat(20_000)}` }];
    const clientInfo = { unknown: "u".repeat(2000), icons, description: "d".repeat(300), title: "Title", ...INFO };
    const seen = await introduce(clientInfo, {});
    expect(seen.clientInfo).toEqual({ ...INFO, title: "Title", description: "d".repeat(300) });
  });

  test("is at most 4,096 characters about its capabilities: those that the protocol knows come first", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 2500 }, (_, index) => [`a${index}`, {}]));
    const { clientCapabilities } = await introduce(INFO, {
      ...unknown,
      experimental: { ...unknown, last: {} },
      extensions: { large: { text: "x".repeat(5000) }, small: { works: true } },
      roots: { listChanged: true },
      sampling: {},
      elicitation: { form: {} },
    });
    expect(JSON.stringify(clientCapabilities).length).toBeLessThanOrEqual(4096);
    expect(clientCapabilities).toMatchObject({
      elicitation: { form: {} },
      sampling: {},
      roots: { listChanged: true },
      extensions: { small: { works: true } },
      experimental: { a0: {} },
    });
    expect(clientCapabilities.extensions).not.toHaveProperty("large");
  });

  test("is nothing of a client whose name is too long to be kept", async () => {
    const long = { name: "\u0000".repeat(400), version: "1" };
    await expect(introduce(long, {})).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("`clientInfo.name`"),
    });
    await expect(introduce({ name: "n", version: "v".repeat(2048) }, {})).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("`clientInfo.version`"),
    });
  });

  test.each([0, 1, 2])("is limited in the handshake (%d)", async (index) => {
    const client = new WireClient(server, "2025-11-25");
    const refused = client.request("initialize", handshakes(70_000)[index]);
    await expect(refused).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("65536") });
    expect(await client.request("initialize", handshakes(index === 0 ? 1000 : 60_000)[index])).toMatchObject({
      serverInfo: { name: "keeper" },
    });
    await client.disconnect();
  });

  test.each(PLATFORMS)("is nothing if the handshake is refused, on $name", async ({ start }) => {
    const target = await start(server);
    const [params] = handshakes(70_000);
    const refused = await target.send(post({ ...initialize(), params }, { accept: BOTH }));
    expect(refused.headers.get("mcp-session-id")).toBeNull();
    expect((await readJson(refused)).error?.code).toBe(-32602);
    const opened = await target.send(post(initialize(), { accept: BOTH }));
    expect(opened.headers.get("mcp-session-id")).not.toBeNull();
  });

  test("has watched resources whose URIs have 65,536 characters together, and no more", async () => {
    const client = new WireClient(server, "2025-11-25");
    await client.request("initialize", { protocolVersion: "2025-11-25", clientInfo: INFO, capabilities: {} });
    const uris = Array.from({ length: 16 }, (_, index) => `x://${String(index).padStart(4092, "0")}`);
    for (const uri of uris) await client.request("resources/subscribe", { uri });
    await expect(client.request("resources/subscribe", { uri: "x://more" })).rejects.toMatchObject({
      code: -32602,
      message: "A session may watch resources whose URIs have 65536 characters in all: unsubscribe from some first.",
    });
    // One that is watched already takes no more room.
    await client.request("resources/subscribe", { uri: uris[3] });
    await client.request("resources/unsubscribe", { uri: uris[3] });
    await client.request("resources/unsubscribe", { uri: uris[3] });
    await client.request("resources/subscribe", { uri: "x://more" });
    await expect(client.request("resources/subscribe", { uri: uris[3] })).rejects.toMatchObject({ code: -32602 });
    await client.disconnect();
  });
});
