import type { SamplingContentBlock, SamplingMessage } from "../src/model/index.ts";

const use = (id: string): SamplingContentBlock => ({ type: "tool_use", id, name: "t", input: {} });
const result = (toolUseId: string): SamplingContentBlock => ({ type: "tool_result", toolUseId, content: [] });
const text: SamplingContentBlock = { type: "text", text: "Hi" };
const user = (...content: SamplingContentBlock[]): SamplingMessage => ({ role: "user", content });
const assistant = (...content: SamplingContentBlock[]): SamplingMessage => ({ role: "assistant", content });

/**
 * Conversations, and whether models take them (sampling page, "Tool Use and Result Balance"): servers must not send, and
 * clients not accept, what they do not.
 */
export const CONVERSATIONS: readonly (readonly [what: string, isBalanced: boolean, messages: SamplingMessage[]])[] = [
  ["nothing", true, []],
  ["one message", true, [{ role: "user", content: text }]],
  ["no tools", true, [user(text), assistant(text), user(text)]],
  ["a use and its result", true, [user(text), assistant(use("a")), user(result("a"))]],
  [
    "a single block each",
    true,
    [
      { role: "assistant", content: use("a") },
      { role: "user", content: result("a") },
    ],
  ],
  [
    "several uses, answered in another order",
    true,
    [assistant(text, use("a"), use("b")), user(result("b"), result("a"))],
  ],
  ["one use after the other", true, [assistant(use("a")), user(result("a")), assistant(use("b")), user(result("b"))]],
  ["a use at the end", false, [user(text), assistant(use("a"))]],
  ["a use without a result", false, [assistant(use("a"), use("b")), user(result("a"))]],
  ["a use that something else follows", false, [assistant(use("a")), user(text), user(result("a"))]],
  ["a use that the assistant answers itself", false, [assistant(use("a")), assistant(result("a"))]],
  ["results and something else", false, [assistant(use("a")), user(result("a"), text)]],
  ["a result of nothing", false, [user(result("a"))]],
  ["a result of nothing next to a true one", false, [assistant(use("a")), user(result("a"), result("b"))]],
  ["a result that comes twice", false, [assistant(use("a")), user(result("a")), user(result("a"))]],
];
