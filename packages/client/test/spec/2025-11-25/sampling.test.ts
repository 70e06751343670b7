/** client/sampling of 2025-11-25: what is asked of the model. */
import { RpcError } from "@toolwire/protocol";
import { expect, test } from "vitest";
import { connected } from "./connected.ts";

const text = { type: "text", text: "?" };
const CONVERSATION = { messages: [{ role: "user", content: text }], maxTokens: 5 };
const sampled = { role: "assistant", content: { type: "text", text: "!" }, model: "m" } as const;

test.each<[string, object]>([
  ["tools that were not declared", { tools: [] }],
  ["a choice of tools that were not declared", { toolChoice: { mode: "none" } }],
])("%s MUST be refused", async (_, more) => {
  const { server } = await connected({}, { sampling: () => sampled });
  expect(await server.push("sampling/createMessage", { ...CONVERSATION, ...more })).toMatchObject({
    error: { code: -32602, message: expect.stringContaining("sampling.tools") as string },
  });
});

const use = { type: "tool_use", id: "u1", name: "t", input: {} };
const result = { type: "tool_result", toolUseId: "u1", content: [] };

test.each<[string, unknown]>([
  ["messages that are no list", "hello"],
  ["a message without a role", [{ content: text }]],
  ["a message of a role that nobody knows", [{ role: "system", content: text }]],
  ["a message without content", [{ role: "user" }]],
  ["content that is text alone", [{ role: "user", content: "hello" }]],
  ["content without a type", [{ role: "user", content: [{ text: "hello" }] }]],
  ["a use of a tool without a result", [{ role: "assistant", content: [use] }]],
  [
    "a use of a tool whose result comes later",
    [
      { role: "assistant", content: [use] },
      { role: "user", content: text },
      { role: "user", content: result },
    ],
  ],
  [
    "a result that the assistant gives itself",
    [
      { role: "assistant", content: [use] },
      { role: "assistant", content: [result] },
    ],
  ],
  [
    "a result mixed with other content",
    [
      { role: "assistant", content: use },
      { role: "user", content: [result, text] },
    ],
  ],
  ["a result of what was not used", [{ role: "user", content: [result] }]],
])("message content SHOULD be validated: %s is refused with -32602, and no model is asked", async (_, messages) => {
  let asked = 0;
  const { server } = await connected({}, { sampling: { createMessage: () => (asked++, sampled), tools: true } });
  const params = { ...CONVERSATION, messages };
  expect(await server.push("sampling/createMessage", params)).toMatchObject({ error: { code: -32602 } });
  expect(asked).toBe(0);
});

test("a conversation in which all tools were answered is passed on as it came, with hints in their order", async () => {
  const asked: unknown[] = [];
  const { server } = await connected(
    {},
    { sampling: { createMessage: (params) => (asked.push(params), sampled), tools: true } },
  );
  const params = {
    messages: [
      { role: "user", content: text },
      { role: "assistant", content: [text, use, { ...use, id: "u2" }], _meta: { "com.example/cache": 1 } },
      { role: "user", content: [result, { ...result, toolUseId: "u2" }] },
    ],
    maxTokens: 5,
    modelPreferences: { hints: [{ name: "b" }, { name: "a" }], speedPriority: 1 },
    tools: [{ name: "t", inputSchema: { type: "object" } }],
    toolChoice: { mode: "required" },
  };
  expect(await server.push("sampling/createMessage", params)).toMatchObject({ result: sampled });
  expect(asked).toStrictEqual([params]);
});

test("a refusal of the user SHOULD be told by -1", async () => {
  const { server } = await connected(
    {},
    {
      sampling: () => {
        throw new RpcError(-1, "User rejected sampling request");
      },
    },
  );
  expect(await server.push("sampling/createMessage", CONVERSATION)).toMatchObject({
    error: { code: -1, message: "User rejected sampling request" },
  });
});
