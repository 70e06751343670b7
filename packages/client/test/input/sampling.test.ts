import { expect, test } from "vitest";
import { CONVERSATIONS } from "../../../protocol/test/conversations.ts";
import { checkConversation } from "../../src/input/answer.ts";

test.each(CONVERSATIONS)("%s: is passed on to a model = %s", (_what, isBalanced, messages) => {
  expect(checkConversation(messages) === undefined).toBe(isBalanced);
});

test("a conversation longer than any model takes is refused, however its blocks are spread over messages", () => {
  const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
  const block = { type: "text", text: "Hi" };
  const user = (content: unknown): object => ({ role: "user", content });
  const refusal = "`messages` must have at most 5000 blocks of content in all";
  expect(checkConversation([user(times(5_000, block))])).toBeUndefined();
  expect(checkConversation([user(times(5_001, block))])).toBe(refusal);
  expect(checkConversation(times(5_001, user(block)))).toBe(refusal);
  expect(checkConversation(times(5_001, user([])))).toBe(refusal);
});
