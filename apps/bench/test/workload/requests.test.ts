import { describe, expect, test } from "vitest";
import {
  callParams,
  echoText,
  Ids,
  prepareMessage,
  preparePost,
  protocolHeaders,
  writeId,
} from "../../src/workload/requests.ts";

describe("prepared requests", () => {
  test("an id is written where the message has it", () => {
    const { bytes, idOffset } = prepareMessage("tools/call", callParams({ kind: "sum" }, "modern"), "\n");
    writeId(bytes, idOffset, 987_654_321);
    const text = bytes.toString();
    expect(text.endsWith("\n")).toBe(true);
    expect(JSON.parse(text)).toMatchObject({ id: 987_654_321, method: "tools/call", params: { name: "sum" } });
  });

  test("a POST says how long it is, and keeps the id in place", () => {
    const call = { kind: "echo", bytes: 100 } as const;
    const message = prepareMessage("tools/call", callParams(call, "modern"));
    const headers = { ...protocolHeaders(call, "modern"), Accept: "application/json" };
    const { bytes, idOffset } = preparePost(message, { port: 80, headers });
    writeId(bytes, idOffset, 123_456_789);
    const [head = "", body = ""] = bytes.toString().split("\r\n\r\n");
    expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
    expect(head).toContain("Mcp-Name: echo");
    expect(head.match(/^Accept:/gm)).toHaveLength(1);
    expect(JSON.parse(body)).toMatchObject({ id: 123_456_789 });
  });
});

test("ids never repeat and are nine digits long", () => {
  const ids = new Ids();
  const first = ids.next();
  expect(String(first)).toHaveLength(9);
  expect(ids.next()).toBe(first + 1);
});

test("the text to echo has the length asked for", () => {
  expect([1, 100, 10_000].map((bytes) => echoText(bytes).length)).toEqual([1, 100, 10_000]);
});
