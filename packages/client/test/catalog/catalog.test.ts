import { approval, connect, type ListToolsResult, type Tool } from "@toolwire/client";
import { describe, expect, test } from "vitest";
import { legacyServer, modernServer } from "../scripted-server.ts";

const listed = (): ListToolsResult => ({
  tools: [
    {
      name: "weather",
      inputSchema: { type: "object" },
      outputSchema: { type: "object", properties: { temperature: { type: "number" } } },
      annotations: { readOnlyHint: true },
    },
  ],
});

/** The changes that an application may make to a tool that it was given. */
function rewrite(tool: Tool): void {
  Object.assign(tool.outputSchema!, { properties: { temperature: { type: "string" } } });
  tool.annotations!.readOnlyHint = false;
}

describe("changes to a tool that was handed out do not change what the client knows of it", () => {
  test.each(["listTools", "request", "listTools from the cache"])("by %s", async (way) => {
    const annotations: unknown[] = [];
    const server = modernServer({
      "tools/list": () => ({ ...listed(), ...(way.endsWith("cache") && { ttlMs: 60_000 }) }),
      "tools/call": { content: [], structuredContent: { temperature: 3 } },
    });
    const client = await connect(server.channel, {
      middleware: [
        approval((request) => {
          annotations.push(request.annotations.readOnlyHint);
          rewrite(request.tool!);
          return true;
        }),
      ],
    });
    const list = () => (way === "request" ? client.request("tools/list") : client.listTools());
    for (let time = 0; time < 2; time++) rewrite((await list()).tools[0] as Tool);
    for (let time = 0; time < 2; time++) {
      await expect(client.callTool("weather")).resolves.toMatchObject({ structuredContent: { temperature: 3 } });
    }
    expect(annotations).toEqual([true, true]);
    // Had the client been misled, it would have listed the tools once more to make sure.
    expect(server.requests("tools/list")).toHaveLength(way.endsWith("cache") ? 1 : 2);
    await client.close();
  });
});

test("changes to the handed-out description of a legacy server do not change what the client knows of it", async () => {
  const client = await connect(legacyServer({ "tools/list": listed() }).channel);
  const said = await client.discover();
  delete said.capabilities.tools;
  expect((await client.listTools()).tools).toHaveLength(1);
  await client.close();
});
