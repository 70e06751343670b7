import { describe, expect, it, vi } from "vitest";
import { encodeMessage, RpcError, toErrorResponse, type Message } from "../../src/index.ts";
import { encodeParts, PreparedJson, SelfEncoding, unwrapMessage } from "../../src/internal.ts";

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

describe("PreparedJson", () => {
  it("is written by JSON.stringify as well, for channels that use it", () => {
    const result = new PreparedJson({ tools: [{ name: "a" }] });
    const message: Message = { jsonrpc: "2.0", id: 1, result };
    expect(JSON.stringify(message)).toBe(encodeMessage(message));
  });

  it("hands out the same frozen copy to all", () => {
    const source = { tools: [{ name: "a", inputSchema: { type: "object" } }] };
    const prepared = new PreparedJson(source);
    const { value } = prepared;
    expect(value).toEqual(source);
    expect(value).not.toBe(source);
    expect(value.tools[0]).not.toBe(source.tools[0]);
    expect(prepared.value).toBe(value);
    expect(() => value.tools.push({ name: "b", inputSchema: { type: "object" } })).toThrow(TypeError);
    expect(() => (value.tools[0]!.inputSchema.type = "array")).toThrow(TypeError);
    expect(() => Object.assign(value, { nextCursor: "x" })).toThrow(TypeError);
    expect(prepared.text).toBe(JSON.stringify(source));
    source.tools[0]!.name = "changed";
    expect(prepared.text).toContain('"name":"a"');
    expect(prepared.value.tools[0]!.name).toBe("a");
  });

  it("keeps __proto__ as an ordinary name", () => {
    const source = JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":null}}') as object;
    const { value, text } = new PreparedJson(source);
    expect(text).toBe('{"__proto__":{"polluted":true},"a":{"__proto__":null}}');
    expect(JSON.stringify(value)).toBe(text);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value).not.toHaveProperty("polluted");
  });

  it("needs no copy to be written", () => {
    const parse = vi.spyOn(JSON, "parse");
    try {
      encodeMessage({ jsonrpc: "2.0", id: 1, result: new PreparedJson({ a: 1 }) });
      encodeParts({ jsonrpc: "2.0", id: 1, result: new PreparedJson({ text: "x".repeat(5000) }) });
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
    }
  });

  it("takes a text that was made elsewhere", () => {
    expect(new PreparedJson({ a: 1 }, '{"a":1}').value).toEqual({ a: 1 });
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

describe("unwrapMessage", () => {
  it("puts the value where a prepared result was", () => {
    const message = unwrapMessage({ jsonrpc: "2.0", id: "a", result: new PreparedJson({ a: 1 }) });
    expect(message).toEqual({ jsonrpc: "2.0", id: "a", result: { a: 1 } });
  });

  it.each<Message>([
    { jsonrpc: "2.0", id: 1, result: { a: 1 } },
    { jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } },
    { jsonrpc: "2.0", method: "notifications/initialized" },
  ])("leaves %j alone", (message) => {
    expect(unwrapMessage(message)).toBe(message);
  });
});

describe("toErrorResponse", () => {
  it("tells what an RpcError says", () => {
    const error = new RpcError(-32602, "Unknown tool", { data: { name: "x" } });
    expect(toErrorResponse(7, error)).toEqual({
      jsonrpc: "2.0",
      id: 7,
      error: { code: -32602, message: "Unknown tool", data: { name: "x" } },
    });
  });

  it.each([Number.NaN, Infinity, -1.5, "-32602" as unknown as number])("has an integer for the code %d", (code) => {
    const { error } = toErrorResponse(7, new RpcError(code, "Unknown tool", { data: 1 }));
    expect(error).toEqual({ code: -32603, message: "Unknown tool", data: 1 });
  });

  it.each([
    new Error("the password is 123"),
    Object.assign(new Error("the password is 123"), { code: -32602, data: "123" }),
    "the password is 123",
    undefined,
  ])("tells nothing of %j but that there was an error", (error) => {
    const message = { code: -32603, message: "Internal error" };
    expect(toErrorResponse(undefined, error)).toEqual({ jsonrpc: "2.0", error: message });
  });
});
