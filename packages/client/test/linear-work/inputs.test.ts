import { describe, expect, it } from "vitest";
import { findExcess } from "../../../../test/linear-growth.ts";
import { checkConversation } from "../../src/input/answer.ts";

function list<T>(size: number, make: (index: number) => T): T[] {
  return Array.from({ length: size }, (_, index) => make(index));
}

const choices = (size: number): string[] => list(size, (n) => `choice ${n}`);

const use = (id: string): object => ({ type: "tool_use", id, name: "t", input: {} });
const result = (id: string): object => ({ type: "tool_result", toolUseId: id, content: [] });

const CONVERSATIONS: Readonly<Record<string, (size: number) => object[]>> = {
  "many uses of tools at once": (size) => [
    { role: "assistant", content: choices(size).map(use) },
    { role: "user", content: choices(size).toReversed().map(result) },
  ],
  "results of many other uses": (size) => [
    { role: "assistant", content: choices(size).map(use) },
    { role: "user", content: list(size, (n) => result(`other ${n}`)) },
  ],
  "many messages": (size) =>
    choices(size).flatMap((id) => [
      { role: "assistant", content: use(id) },
      { role: "user", content: [result(id)] },
    ]),
};

describe("the time that questions of a server take", () => {
  it.each(Object.entries(CONVERSATIONS))("is in proportion to a conversation: %s", (_, make) => {
    expect(findExcess(make, (messages) => void checkConversation(messages, Infinity), 65_536)).toBeUndefined();
  });
});
