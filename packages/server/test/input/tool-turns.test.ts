import { expect, test } from "vitest";
import { CONVERSATIONS } from "../../../protocol/test/conversations.ts";
import { createServer, tool } from "../../src/index.ts";
import { ModernClient } from "../wire-client.ts";

test.each(CONVERSATIONS)("%s: is sent to a model = %s", async (_what, isBalanced, messages) => {
  const complaints: unknown[] = [];
  const server = createServer({
    name: "s",
    version: "1",
    onDiagnostic: ({ error }) => void complaints.push(error),
    tools: { think: tool({ run: async (_args, ctx) => void (await ctx.sample("k", { messages, maxTokens: 1 })) }) },
  });
  const client = new ModernClient(server, { capabilities: { sampling: { tools: {} } } });
  const { resultType } = await client.callTool("think");
  expect(resultType).toBe(isBalanced ? "input_required" : "complete");
  expect(complaints).toMatchObject(isBalanced ? [] : [{ code: "INVALID_ARGUMENT" }]);
});
