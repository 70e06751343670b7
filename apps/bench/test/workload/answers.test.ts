import { describe, expect, test } from "vitest";
import { checkAnswer, checkRefusal, readHttpAnswer } from "../../src/workload/answers.ts";
import { echoText } from "../../src/workload/requests.ts";
import { listTools } from "../../src/workload/tools.ts";

const answer = (result: object): string => JSON.stringify({ jsonrpc: "2.0", id: 7, result });
const echo = { call: { kind: "echo", bytes: 10 }, tools: 2 } as const;

describe("checkAnswer", () => {
  test("takes the right answers and returns their id", () => {
    expect(checkAnswer(answer({ content: [{ type: "text", text: echoText(10) }] }), echo)).toBe(7);
    expect(checkAnswer(answer({ structuredContent: { sum: 42 } }), { call: { kind: "sum" }, tools: 2 })).toBe(7);
    expect(checkAnswer(answer({ tools: listTools(100) }), { call: { kind: "list" }, tools: 100 })).toBe(7);
  });

  test.each([
    ["another text", answer({ content: [{ type: "text", text: "no" }] })],
    ["a failed tool", answer({ isError: true, content: [{ type: "text", text: echoText(10) }] })],
    ["an error", JSON.stringify({ jsonrpc: "2.0", id: 7, error: { code: 1, message: "no" } })],
  ])("refuses %s", (_, text) => {
    expect(() => checkAnswer(text, echo)).toThrow("Wrong answer");
  });

  test("refuses a list that is too short", () => {
    const text = answer({ tools: listTools(99) });
    expect(() => checkAnswer(text, { call: { kind: "list" }, tools: 100 })).toThrow("not the 100 tools");
  });
});

describe("checkRefusal", () => {
  test("takes both kinds of refusal", () => {
    const error = JSON.stringify({ jsonrpc: "2.0", id: 7, error: { code: -32602, message: "no" } });
    expect(() => checkRefusal(answer({ isError: true, content: [] }))).not.toThrow();
    expect(() => checkRefusal(error)).not.toThrow();
  });

  test("does not take an answer for a refusal", () => {
    expect(() => checkRefusal(answer({ content: [] }))).toThrow("not validated");
  });
});

test("readHttpAnswer finds the message in an event stream", () => {
  const stream = `id: 1\ndata: \n\nevent: message\nid: 2\ndata: {"id":1}\n\n`;
  expect(readHttpAnswer(stream, "text/event-stream")).toBe(`{"id":1}`);
  expect(readHttpAnswer(`{"id":1}`, "application/json; charset=utf-8")).toBe(`{"id":1}`);
});
