import { describe, expect, test } from "vitest";
import { createServer } from "../../src/index.ts";
import { BOTH, initialize, post, readJson } from "../http/client.ts";
import { FRONTS } from "../http/fronts.ts";
import { WireClient } from "../wire-client.ts";

const server = createServer({ name: "keeper", version: "1" });

/** A handshake whose client says so many characters about itself, as a name, as a capability or as something unknown. */
function handshakes(length: number): object[] {
  const text = "x".repeat(length);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  return [
    { ...params, clientInfo: { name: text, version: "1" } },
    { ...params, clientInfo: { name: "test", version: "1", unknown: text } },
    { ...params, capabilities: { experimental: { text: { text } } } },
  ];
}

describe("what is kept of a legacy client for as long as its session", () => {
  test.each([0, 1, 2])("is limited in the handshake (%d)", async (index) => {
    const client = new WireClient(server, "2025-11-25");
    const refused = client.request("initialize", handshakes(70_000)[index]);
    await expect(refused).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("65536") });
    expect(await client.request("initialize", handshakes(60_000)[index])).toMatchObject({
      serverInfo: { name: "keeper" },
    });
    await client.disconnect();
  });

  test.each(FRONTS)("is nothing if the handshake is refused, on $name", async ({ start }) => {
    const target = await start(server);
    const [params] = handshakes(70_000);
    const refused = await target.send(post({ ...initialize(), params }, { accept: BOTH }));
    expect(refused.headers.get("mcp-session-id")).toBeNull();
    expect((await readJson(refused)).error?.code).toBe(-32602);
    const opened = await target.send(post(initialize(), { accept: BOTH }));
    expect(opened.headers.get("mcp-session-id")).not.toBeNull();
  });
});
