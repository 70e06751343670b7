import { approval, connect, type ApprovalRequest } from "@toolwire/client";
import { RpcError } from "@toolwire/protocol";
import { expect, onTestFinished, test } from "vitest";
import { isCall, modernServer, type Script } from "../scripted-server.ts";

const PAGES = 3;

/** A server with a list of a few pages, which calls of tools that are not on it answers, too. */
async function approved(script: Script = {}) {
  const asked: ApprovalRequest[] = [];
  const server = modernServer({
    "tools/list": ({ cursor = "0" }) => {
      const page = Number(cursor);
      const tools = [{ name: `t${page}`, inputSchema: { type: "object" } }];
      return { tools, ...(page + 1 < PAGES && { nextCursor: String(page + 1) }) };
    },
    "tools/call": { content: [] },
    ...script,
  });
  const decide = (request: ApprovalRequest): boolean => asked.push(request) > 0;
  const client = await connect(server.channel, { middleware: [approval(decide)] });
  onTestFinished(() => client.close());
  return { client, server, asked };
}

test("a tool that is not listed is looked for once, and again when the tools have changed", async () => {
  const { client, server, asked } = await approved();
  for (let i = 0; i < 3; i++) await client.callTool("hidden");
  expect(server.requests("tools/list")).toHaveLength(PAGES);
  server.notify("notifications/tools/list_changed");
  // Behind it, so that the client has heard it by the time of the answer.
  await client.callTool("t0");
  await client.callTool("hidden");
  expect(server.requests("tools/list")).toHaveLength(2 * PAGES);
  expect(asked.map(({ tool }) => tool?.name)).toEqual([undefined, undefined, undefined, "t0", undefined]);
});

test("if the tools cannot be listed, somebody is asked without a description, and they are listed the next time", async () => {
  const { client, server, asked } = await approved({
    "tools/list": () => {
      throw new RpcError(-32603, "listing is broken");
    },
  });
  await expect(client.callTool("t0")).resolves.toEqual({ content: [] });
  await expect(client.callTool("t0")).resolves.toEqual({ content: [] });
  expect(asked).toMatchObject([
    { name: "t0", tool: undefined, annotations: {} },
    { name: "t0", tool: undefined, annotations: {} },
  ]);
  expect(server.requests("tools/list")).toHaveLength(2);
  expect(server.received.filter(isCall("tools/call"))).toHaveLength(2);
});
