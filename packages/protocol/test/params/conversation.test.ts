import { expect, test } from "vitest";
import { findConversationProblem } from "../../src/params/conversation.ts";
import { CONVERSATIONS } from "../conversations.ts";

const text = { type: "text", text: "Hi" };
const use = { type: "tool_use", id: "a", name: "add", input: {} };
const result = { type: "tool_result", toolUseId: "a", content: [] };

test.each(CONVERSATIONS)("the conversation with %s is in order = %s", (_what, isBalanced, messages) => {
  expect(findConversationProblem(messages) === undefined).toBe(isBalanced);
});

test.each<[object, unknown]>([
  [{ kind: "not-an-array" }, { role: "user" }],
  [{ kind: "malformed", index: 1 }, [{ role: "user", content: text }, { content: text }]],
  [{ kind: "malformed", index: 0 }, [{ role: "user", content: [{ text: "Hi" }] }]],
  [{ kind: "malformed", index: 0 }, [null]],
  [
    { kind: "mixed-results", index: 1 },
    [
      { role: "assistant", content: use },
      { role: "user", content: [result, text] },
    ],
  ],
  [{ kind: "unknown-result", index: 0 }, [{ role: "user", content: result }]],
  [{ kind: "missing-result", index: 0, id: "a", tool: "add" }, [{ role: "assistant", content: [text, use] }]],
])("the problem %j is found where it is", (problem, messages) => {
  expect(findConversationProblem(messages)).toEqual(problem);
});

test("a conversation may have as many blocks of content as allowed, over all messages", () => {
  const messages = [
    { role: "user", content: [text, text] },
    { role: "assistant", content: text },
  ];
  expect([3, 2].map((maxBlocks) => findConversationProblem(messages, maxBlocks))).toEqual([
    undefined,
    { kind: "too-long" },
  ]);
});
