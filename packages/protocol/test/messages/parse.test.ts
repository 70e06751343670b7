import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeMessage, MalformedMessage, parseMessage, parseMessages, readMessage } from "../../src/index.ts";
import { PreparedJson } from "../../src/internal.ts";

function complaint(text: string): MalformedMessage {
  try {
    parseMessage(text);
  } catch (error) {
    if (error instanceof MalformedMessage) return error;
    throw error;
  }
  throw new Error(`parsed: ${text}`);
}

describe("parseMessage accepts", () => {
  it.each([
    ["a request with a string id", '{"jsonrpc":"2.0","id":"1","method":"tools/list"}'],
    ["a request with an integer id", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}'],
    ["id zero", '{"jsonrpc":"2.0","id":0,"method":"m"}'],
    ["a negative id", '{"jsonrpc":"2.0","id":-7,"method":"m"}'],
    ["an empty string id", '{"jsonrpc":"2.0","id":"","method":"m"}'],
    ["a notification", '{"jsonrpc":"2.0","method":"notifications/initialized"}'],
    ["a result", '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ["an error", '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'],
    ["an error without id", '{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}'],
    ["unknown members, kept", '{"jsonrpc":"2.0","id":1,"method":"m","extra":[1]}'],
  ])("%s", (_, text) => {
    expect(parseMessage(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ["a request", { jsonrpc: "2.0", id: 3, method: "m" }],
    ["a notification", { jsonrpc: "2.0", method: "m" }],
  ])("%s whose params are null, as one without any", (_, expected) => {
    const given = Object.freeze({ ...expected, params: null });
    expect(readMessage(given)).toEqual(expected);
  });

  it("an error with a null id, as JSON-RPC writes it when the id could not be read", () => {
    const message = parseMessage('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}');
    expect(message).toEqual({ jsonrpc: "2.0", error: { code: -32700, message: "no" } });
  });
});

describe("parseMessage shows", () => {
  it.each([
    ['{"message":"Quota exceeded"}', '{"message":"Quota exceeded"}'],
    ['"Quota exceeded"', '"Quota exceeded"'],
    [`"${"x".repeat(1000)}"`, `"${"x".repeat(299)}`],
    // Deeper than what can be written down again.
    [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, "an array"],
  ])("the value that a peer sends in place of an error, up to a limit", (error, shown) => {
    const { message, id, mayAnswer } = complaint(`{"jsonrpc":"2.0","id":7,"error":${error}}`);
    expect(message).toBe(`\`error\` must have an integer \`code\` and a string \`message\`, but is ${shown}.`);
    expect({ id, mayAnswer }).toEqual({ id: 7, mayAnswer: false });
  });
});

describe("parseMessage refuses", () => {
  it.each([
    ["what is not JSON", "{", -32700, undefined],
    ["the empty text", "", -32700, undefined],
    ["a string", '"hello"', -32600, undefined],
    ["null", "null", -32600, undefined],
    ["a number", "42", -32600, undefined],
    ["a batch", '[{"jsonrpc":"2.0","method":"m"}]', -32600, undefined],
    ["an object that is nothing", "{}", -32600, undefined],
    ["a null id", '{"jsonrpc":"2.0","id":null,"method":"m"}', -32600, undefined],
    ["a fractional id", '{"jsonrpc":"2.0","id":1.5,"method":"m"}', -32600, undefined],
    ["an object id", '{"jsonrpc":"2.0","id":{},"method":"m"}', -32600, undefined],
    ["a boolean id", '{"jsonrpc":"2.0","id":true,"method":"m"}', -32600, undefined],
    [
      "an id that cannot be echoed unchanged",
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}',
      -32600,
      undefined,
    ],
    ["another version", '{"jsonrpc":"1.0","id":3,"method":"m"}', -32600, 3],
    ["no version", '{"id":3,"method":"m"}', -32600, 3],
    ["a method that is no string", '{"jsonrpc":"2.0","id":3,"method":5}', -32600, 3],
    ["params as an array", '{"jsonrpc":"2.0","id":3,"method":"m","params":[]}', -32600, 3],
    ["a request that is also a response", '{"jsonrpc":"2.0","id":3,"method":"m","result":{}}', -32600, 3],
    ["an id alone", '{"jsonrpc":"2.0","id":3}', -32600, 3],
  ])("%s", (_, text, code, id) => {
    const error = complaint(text);
    const name = code === -32700 ? "PARSE_ERROR" : "INVALID_MESSAGE";
    expect(error).toMatchObject({ code: name, rpcCode: code, id, mayAnswer: true });
    expect(error.toResponse()).toEqual({
      jsonrpc: "2.0",
      ...(id !== undefined && { id }),
      error: { code, message: error.message },
    });
  });

  it.each([
    ["no version", '{"id":1,"result":{}}'],
    ["another version", '{"jsonrpc":"1.0","id":1,"error":{"code":1,"message":""}}'],
    ["result and error", '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}'],
    ["a result without id", '{"jsonrpc":"2.0","result":{}}'],
    ["a result that is no object", '{"jsonrpc":"2.0","id":1,"result":"ok"}'],
    ["a fractional error code", '{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}}'],
    ["an error without message", '{"jsonrpc":"2.0","id":1,"error":{"code":1}}'],
    ["an error with an object id", '{"jsonrpc":"2.0","id":{},"error":{"code":1,"message":""}}'],
  ])("%s in a response, without answering it", (_, text) => {
    expect(complaint(text)).toMatchObject({ rpcCode: -32600, mayAnswer: false });
  });
});

describe("the complaint", () => {
  it.each([
    ["5", "is a number."],
    ["1.5", "is a fractional number."],
    ["1e999", "is an integer beyond 2^53."],
    ["9007199254740993", "is an integer beyond 2^53."],
    ['"5"', "is a string."],
    ["null", "is null."],
    ['{"jsonrpc":"2.0","id":1e999,"method":"m"}', "is an integer beyond 2^53."],
    ['{"jsonrpc":"2.0","id":1,"method":5}', "is a number."],
    ['{"jsonrpc":"2.0","id":1,"method":"m","params":5}', "is a number."],
  ])("about %s ends in: %s", (text, end) => {
    expect(complaint(text).message.slice(-end.length)).toBe(end);
  });
});

describe("parseMessages", () => {
  it("says of a batch in a batch that it cannot be", () => {
    const [inner] = parseMessages('[[{"jsonrpc":"2.0","method":"m"}]]') as readonly unknown[];
    expect(inner).toBeInstanceOf(MalformedMessage);
    expect(inner).toMatchObject({ message: "A batch cannot hold batches.", rpcCode: -32600, mayAnswer: true });
  });

  it("gives each member of a batch its place, malformed ones too", () => {
    const parsed = parseMessages('[{"jsonrpc":"2.0","method":"m"},7,{"jsonrpc":"2.0","id":1,"method":"m"}]');
    expect(parsed).toHaveLength(3);
    expect((parsed as unknown[])[1]).toBeInstanceOf(MalformedMessage);
  });

  it("refuses empty and huge batches whole", () => {
    expect(() => parseMessages("[]")).toThrow("empty batch");
    expect(() => parseMessages(JSON.stringify(Array.from({ length: 257 }, () => 1)))).toThrow("at most 256");
  });
});

describe("properties", () => {
  const id = fc.oneof(fc.string(), fc.maxSafeInteger());
  const params = fc.dictionary(fc.string(), fc.jsonValue());
  const message = fc.oneof(
    fc.record({ jsonrpc: fc.constant("2.0" as const), id, method: fc.string(), params }),
    fc.record({ jsonrpc: fc.constant("2.0" as const), method: fc.string(), params }),
    fc.record({ jsonrpc: fc.constant("2.0" as const), id, result: params }),
    fc.record({
      jsonrpc: fc.constant("2.0" as const),
      id,
      error: fc.record({ code: fc.integer(), message: fc.string() }),
    }),
  );

  it("whatever is encoded parses back without loss, on one line", () => {
    fc.assert(
      fc.property(message, (original) => {
        const text = encodeMessage(original);
        expect(text).not.toContain("\n");
        expect(JSON.stringify(parseMessage(text))).toBe(JSON.stringify(original));
      }),
    );
  });

  it("any JSON value is a message or a MalformedMessage, never anything else", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        try {
          expect(parseMessage(text)).toHaveProperty("jsonrpc", "2.0");
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessage);
        }
      }),
    );
  });

  it("a prepared result is written as if it were plain, for every id", () => {
    fc.assert(
      fc.property(id, params, (requestId, result) => {
        const prepared = encodeMessage({ jsonrpc: "2.0", id: requestId, result: new PreparedJson(result) });
        expect(JSON.parse(prepared)).toEqual(JSON.parse(JSON.stringify({ jsonrpc: "2.0", id: requestId, result })));
      }),
    );
  });
});
