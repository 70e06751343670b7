import { expect, test } from "vitest";
import { CONVERSATIONS } from "../../../protocol/test/conversations.ts";
import { checkConversation } from "../../src/inputs/sampling.ts";

test.each(CONVERSATIONS)("%s: is passed on to a model = %s", (_what, isBalanced, messages) => {
  expect(checkConversation(messages) === undefined).toBe(isBalanced);
});
