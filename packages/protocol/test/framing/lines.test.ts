import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProtocolViolation, UsageError } from "../../src/errors.ts";
import { createLineDecoder, type LineDecoderOptions } from "../../src/framing/lines.ts";
import { bytes, chunksOf } from "./chunks.ts";

/** Everything a decoder delivers for these chunks, in order: lines as text, errors as `!CODE`. */
function decode(chunks: Iterable<Uint8Array>, options?: LineDecoderOptions): string[] {
  const delivered: string[] = [];
  const decoder = createLineDecoder(
    { line: (text) => delivered.push(text), error: (error) => delivered.push(`!${error.code}`) },
    options,
  );
  for (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  return delivered;
}

function errorsOf(chunk: Uint8Array, options?: LineDecoderOptions): ProtocolViolation[] {
  const errors: ProtocolViolation[] = [];
  const decoder = createLineDecoder({ line: () => {}, error: (error) => errors.push(error) }, options);
  decoder.push(chunk);
  return errors;
}

describe("line endings", () => {
  it.each([
    ["LF", '{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}']],
    ["CRLF", '{"a":1}\r\n{"b":2}\r\n', ['{"a":1}', '{"b":2}']],
    ["both", '{"a":1}\n{"b":2}\r\n{"c":3}\n', ['{"a":1}', '{"b":2}', '{"c":3}']],
    ["empty lines", '\n\r\n{"a":1}\n\n\r\n\n', ['{"a":1}']],
    ["a CR inside a line", "a\rb\n", ["a\rb"]],
    ["two CRs before the LF", "a\r\r\n", ["a\r"]],
    ["nothing at all", "", []],
    ["no end of the last line", "a\nb", ["a", "b"]],
    ["half an end of the last line", "a\nb\r", ["a", "b"]],
  ])("%s", (_, text, lines) => {
    expect(decode([bytes(text)])).toEqual(lines);
    expect(decode(chunksOf(bytes(text), 1))).toEqual(lines);
  });

  it("delivers a line as soon as its LF has come", () => {
    const lines: string[] = [];
    const decoder = createLineDecoder({ line: (text) => lines.push(text), error: () => {} });
    decoder.push(bytes("a"));
    expect(lines).toEqual([]);
    decoder.push(bytes("b\nc\nd"));
    expect(lines).toEqual(["ab", "c"]);
  });
});

describe("text", () => {
  it("joins characters cut apart between chunks", () => {
    expect(decode(chunksOf(bytes("ä€𝄞\n世界\n"), 1))).toEqual(["ä€𝄞", "世界"]);
  });

  it("drops a byte order mark at the start of the stream, and keeps any other", () => {
    expect(decode([bytes("\uFEFFa\n\uFEFFb\n")])).toEqual(["a", "\uFEFFb"]);
    expect(decode(chunksOf(bytes("\uFEFFa\n"), 1))).toEqual(["a"]);
    expect(decode([bytes("\uFEFF\na\n")])).toEqual(["a"]);
  });

  it("reports a line that is not UTF-8 and goes on with the next", () => {
    const chunk = Uint8Array.of(97, 10, 0x22, 0xff, 0x22, 10, 98, 10);
    expect(decode([chunk])).toEqual(["a", "!INVALID_UTF8", "b"]);
    expect(decode(chunksOf(chunk, 1))).toEqual(["a", "!INVALID_UTF8", "b"]);
    expect(errorsOf(chunk)[0]?.message).toMatch(/^Line 2 \(3 bytes\) is not UTF-8/);
  });

  it("accepts a replacement character that was really sent", () => {
    expect(decode([bytes("a\uFFFDb\n")])).toEqual(["a\uFFFDb"]);
  });

  it("does not take an encoded surrogate for UTF-8", () => {
    expect(decode([Uint8Array.of(0xed, 0xa0, 0x80, 10)])).toEqual(["!INVALID_UTF8"]);
  });

  it("uses the decoder it is given, also across chunks", () => {
    const nodeDecode = (source: Uint8Array, start: number, end: number): string =>
      Buffer.from(source.buffer, source.byteOffset + start, end - start).toString("utf8");
    expect(decode(chunksOf(bytes("ä€\n𝄞\n"), 2), { decode: nodeDecode })).toEqual(["ä€", "𝄞"]);
    expect(decode([Uint8Array.of(0xc3, 10, 97, 10)], { decode: nodeDecode })).toEqual(["!INVALID_UTF8", "a"]);
  });
});

describe("the size limit", () => {
  const options = { maxBytes: 4 };

  it.each([
    ["at the limit", "1234\n", ["1234"]],
    ["at the limit, with CRLF", "1234\r\n", ["1234"]],
    ["at the limit, unterminated", "1234", ["1234"]],
    ["one above", "12345\nok\n", ["!TOO_LARGE", "ok"]],
    ["one above, with CRLF", "12345\r\nok\n", ["!TOO_LARGE", "ok"]],
    ["one above by a CR that ends nothing", "1234\r5\nok\n", ["!TOO_LARGE", "ok"]],
    ["far above", `${"x".repeat(1000)}\nok\n`, ["!TOO_LARGE", "ok"]],
    ["far above, unterminated", "x".repeat(1000), ["!TOO_LARGE"]],
    ["counted in bytes, not characters", "äää\nää\n", ["!TOO_LARGE", "ää"]],
    ["two in a row", "12345\n12345\nok\n", ["!TOO_LARGE", "!TOO_LARGE", "ok"]],
  ])("%s", (_, text, delivered) => {
    expect(decode([bytes(text)], options)).toEqual(delivered);
    expect(decode(chunksOf(bytes(text), 1), options)).toEqual(delivered);
    expect(decode(chunksOf(bytes(text), 3), options)).toEqual(delivered);
  });

  it("is reported before the line has ended, saying the limit and how to raise it", () => {
    const [error] = errorsOf(bytes("ok\n12345"), options);
    expect(error).toBeInstanceOf(ProtocolViolation);
    expect(error?.message).toMatch(/Line 2 .*limit of 4 bytes.*raise `maxBytes`/);
  });

  it("keeps nothing of what it discards", () => {
    let decoded = 0;
    const decoder = createLineDecoder(
      { line: () => {}, error: () => {} },
      {
        maxBytes: 4,
        decode: (source, start, end) => {
          decoded += end - start;
          return new TextDecoder().decode(source.subarray(start, end));
        },
      },
    );
    const chunk = new Uint8Array(64 * 1024).fill(120);
    for (let count = 0; count < 1000; count++) decoder.push(chunk);
    decoder.push(bytes("\nok\n"));
    expect(decoded).toBe(2);
  });

  it("is 4 MiB unless told otherwise, and can be switched off", () => {
    const line = new Uint8Array(4 * 1024 * 1024 + 2).fill(120);
    line[line.length - 1] = 10;
    expect(decode([line])).toEqual(["!TOO_LARGE"]);
    expect(decode([line.subarray(1)])).toEqual(["x".repeat(4 * 1024 * 1024)]);
    expect(decode([line], { maxBytes: Infinity })).toEqual(["x".repeat(4 * 1024 * 1024 + 1)]);
  });

  it.each([0, -1, Number.NaN])("cannot be %d", (maxBytes) => {
    expect(() => createLineDecoder({ line: () => {}, error: () => {} }, { maxBytes })).toThrow(UsageError);
  });
});

describe("use", () => {
  it("delivers the rest of a chunk before an exception of the sink leaves", () => {
    const lines: string[] = [];
    const decoder = createLineDecoder({
      line(text) {
        lines.push(text);
        if (text.startsWith("bad")) throw new Error(text);
      },
      error: () => {},
    });
    expect(() => decoder.push(bytes("a\nbad 1\nb\nbad 2\nc"))).toThrow("bad 1");
    expect(lines).toEqual(["a", "bad 1", "b", "bad 2"]);
    decoder.push(bytes("c\n"));
    expect(lines.at(-1)).toBe("cc");
  });

  it("stays usable when the sink throws on an error", () => {
    const lines: string[] = [];
    const decoder = createLineDecoder(
      {
        line: (text) => lines.push(text),
        error(error) {
          throw error;
        },
      },
      { maxBytes: 2 },
    );
    expect(() => decoder.push(bytes("ok\n1234"))).toThrow(ProtocolViolation);
    decoder.push(bytes("5\nok\n"));
    expect(lines).toEqual(["ok", "ok"]);
  });

  it("copies what it keeps, so that a chunk can be reused", () => {
    const lines: string[] = [];
    const decoder = createLineDecoder({ line: (text) => lines.push(text), error: () => {} });
    const chunk = bytes("abc");
    decoder.push(chunk);
    chunk.fill(120);
    decoder.push(bytes("\n"));
    expect(lines).toEqual(["abc"]);
  });

  it("starts over after the end, whatever was left", () => {
    const lines: string[] = [];
    const decoder = createLineDecoder({ line: (text) => lines.push(text), error: () => {} }, { maxBytes: 8 });
    decoder.push(bytes("far too long"));
    decoder.end();
    decoder.push(bytes("\uFEFFa\nb"));
    decoder.end();
    decoder.end();
    expect(lines).toEqual(["a", "b"]);
  });

  it("takes a long line one byte at a time", () => {
    const line = "é".repeat(128 * 1024);
    expect(decode(chunksOf(bytes(`${line}\nnext\n`), 1))).toEqual([line, "next"]);
  });
});

describe("properties", () => {
  const byte = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(10, 13, 97, 0xc3, 0xa4, 0xff) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }) },
  );
  const stream = fc.array(byte, { maxLength: 60 }).map((list) => Uint8Array.from(list));
  const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 8 });

  it("chunking makes no difference", () => {
    fc.assert(
      fc.property(stream, cuts, fc.integer({ min: 1, max: 12 }), (whole, sizes, maxBytes) => {
        expect(decode(chunksOf(whole, ...sizes), { maxBytes })).toEqual(decode([whole], { maxBytes }));
      }),
      { numRuns: 1000 },
    );
  });

  it("gives back every JSON value that was written as a line", () => {
    const ending = fc.constantFrom("\n", "\r\n", "\n\n", "\r\n\n");
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.json(), ending), { maxLength: 8 }), cuts, (written, sizes) => {
        const whole = bytes(written.map(([json, end]) => json + end).join(""));
        expect(decode(chunksOf(whole, ...sizes))).toEqual(written.map(([json]) => json));
      }),
    );
  });

  it("delivers or reports each line on its own, whatever the others are", () => {
    const line = fc
      .array(
        byte.filter((value) => value !== 10),
        { minLength: 1, maxLength: 12 },
      )
      .map((list) => Uint8Array.from([120, ...list, 120, 10]));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
        const options = { maxBytes: 9 };
        const together = decode([Uint8Array.from(lines.flatMap((each) => [...each]))], options);
        expect(together).toEqual(lines.flatMap((each) => decode([each], options)));
      }),
    );
  });
});
