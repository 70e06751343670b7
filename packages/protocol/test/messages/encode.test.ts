import { describe, expect, it } from "vitest";
import { encodeMessage, encodeParts, PreparedJson, SelfEncoding } from "../../src/index.ts";

class Greeting extends SelfEncoding {
  override encode(): string {
    return '{"greeting":"hello"}';
  }
}

describe("encodeMessage", () => {
  it("lets a result write itself", () => {
    const text = encodeMessage({ jsonrpc: "2.0", id: "a", result: new Greeting() });
    expect(JSON.parse(text)).toEqual({ jsonrpc: "2.0", id: "a", result: { greeting: "hello" } });
  });
});

describe("encodeParts", () => {
  const long = { text: "ä".repeat(5000) };

  it("keeps a long prepared result as bytes, the same every time", () => {
    const result = new PreparedJson(long);
    const first = encodeParts({ jsonrpc: "2.0", id: 1, result });
    const second = encodeParts({ jsonrpc: "2.0", id: "two", result });
    if (typeof first === "string" || typeof second === "string") throw new Error("expected parts");
    expect(second.bytes).toBe(first.bytes);
    const text = second.before + new TextDecoder().decode(second.bytes) + second.after;
    expect(JSON.parse(text)).toEqual({ jsonrpc: "2.0", id: "two", result: long });
  });

  it("makes text of everything else", () => {
    expect(encodeParts({ jsonrpc: "2.0", id: 1, result: new PreparedJson({ a: 1 }) })).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"a":1}}',
    );
    expect(encodeParts({ jsonrpc: "2.0", id: 1, result: long })).toBeTypeOf("string");
    expect(encodeParts({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } })).toBe(
      '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}',
    );
  });
});
