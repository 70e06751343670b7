import { describe, expect, test } from "vitest";
import { answerOther, callResponse, findCallId } from "../../src/canned/answers.ts";

describe("findCallId", () => {
  test("finds the id wherever a client puts it, and of whichever type", () => {
    expect(findCallId(Buffer.from(`{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{}}`))).toBe("17");
    expect(findCallId(Buffer.from(`{"method":"tools/call","params":{},"jsonrpc":"2.0","id":"a-1"}`))).toBe(`"a-1"`);
  });

  test("leaves everything else to be parsed", () => {
    expect(findCallId(Buffer.from(`{"jsonrpc":"2.0","id":17,"method":"tools/list"}`))).toBeUndefined();
  });
});

test("a response to a call is JSON once the id stands between its parts", () => {
  const [before, after] = callResponse(100);
  expect(JSON.parse(`${before}"x"${after}`)).toMatchObject({ id: "x", result: { content: [{ type: "text" }] } });
});

test("notifications are not answered, unknown methods are refused", () => {
  expect(answerOther({ method: "notifications/initialized" })).toBeUndefined();
  expect(answerOther({ id: 1, method: "resources/list" })).toMatchObject({ id: 1, error: { code: -32601 } });
});
