import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProtocolViolation, UsageError } from "../../src/errors.ts";
import {
  createEventDecoder,
  encodeComment,
  encodeData,
  encodeEvent,
  type EventDecoderOptions,
  type EventSink,
  type ServerSentEvent,
} from "../../src/framing/index.ts";
import { bytes, chunksOf } from "./chunks.ts";

type Delivery = ServerSentEvent | { retry: number } | { error: string };

function collect(): EventSink & { delivered: Delivery[] } {
  const delivered: Delivery[] = [];
  return {
    delivered,
    event: (event) => delivered.push(event),
    retry: (ms) => delivered.push({ retry: ms }),
    error: (error) => delivered.push({ error: error.code }),
  };
}

/** Everything a decoder delivers for these chunks, in order. */
function decode(chunks: Iterable<Uint8Array>, options?: EventDecoderOptions): Delivery[] {
  const sink = collect();
  const decoder = createEventDecoder(sink, options);
  for (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  return sink.delivered;
}

describe("encodeEvent", () => {
  it.each([
    ["one line of data", { data: '{"a":1}' }, 'data: {"a":1}\n\n'],
    [
      "all fields",
      { id: "7", event: "message", data: "x", retry: 500 },
      "event: message\nid: 7\nretry: 500\ndata: x\n\n",
    ],
    ["an id and empty data", { id: "7", data: "" }, "id: 7\ndata: \n\n"],
    ["an id alone", { id: "7" }, "id: 7\n\n"],
    ["only a time to wait", { retry: 0 }, "retry: 0\n\n"],
    ["LF in the data", { data: "a\nb" }, "data: a\ndata: b\n\n"],
    ["CR and CRLF in the data", { data: "a\rb\r\nc\n\nd" }, "data: a\ndata: b\ndata: c\ndata: \ndata: d\n\n"],
    ["data that ends in a line break", { data: "a\n" }, "data: a\ndata: \n\n"],
    ["data that starts with a space", { data: " a" }, "data:  a\n\n"],
  ])("%s", (_, event, text) => {
    expect(encodeEvent(event)).toBe(text);
  });

  it.each([
    ["LF in an id", { id: "a\nb" }, /id "a\\nb"/],
    ["CR in an id", { id: "a\rb" }, /id "a\\rb"/],
    ["NUL in an id", { id: "a\0b" }, /id "a\\u0000b"/],
    ["LF in an event name", { event: "a\n\ndata: forged" }, /event "a\\n\\ndata: forged"/],
    ["a fractional retry", { retry: 1.5 }, /^`retry` must be .*; got 1\.5\.$/],
    ["a negative retry", { retry: -1 }, /^`retry` must be .*; got -1\.$/],
  ])("refuses %s", (_, event, message) => {
    expect(() => encodeEvent(event)).toThrow(UsageError);
    expect(() => encodeEvent(event)).toThrow(message);
  });
});

describe("encodeData", () => {
  it("is an event to every reader, with nothing but its data", () => {
    expect(encodeData('{"a":1}')).toBe('data: {"a":1}\n\n');
    expect(decode([bytes(encodeData("a\n\nb\rc"))])).toEqual([{ data: "a\n\nb\nc" }]);
  });
});

describe("encodeComment", () => {
  it("is a comment to every reader, even with line breaks in it", () => {
    expect(encodeComment("keep-alive")).toBe(": keep-alive\n\n");
    expect(decode([bytes(encodeComment("a\ndata: forged\r\ndata: forged"))])).toEqual([]);
  });
});

describe("createEventDecoder", () => {
  it.each<[string, string, Delivery[]]>([
    ["an event", 'data: {"a":1}\n\n', [{ data: '{"a":1}' }]],
    ["all fields", "id: 7\nevent: x\ndata: y\n\n", [{ id: "7", event: "x", data: "y" }]],
    ["data of several lines", "data: a\ndata:b\ndata\n\n", [{ data: "a\nb\n" }]],
    ["several events", "data: a\n\ndata: b\n\n", [{ data: "a" }, { data: "b" }]],
    ["an id is not inherited", "id: 1\ndata: a\n\ndata: b\n\n", [{ id: "1", data: "a" }, { data: "b" }]],
    ["CRLF", "id: 1\r\ndata: a\r\n\r\ndata: b\r\n\r\n", [{ id: "1", data: "a" }, { data: "b" }]],
    ["bare CR", "id: 1\rdata: a\r\rdata: b\r\r", [{ id: "1", data: "a" }, { data: "b" }]],
    ["comments", ": hello\n\n:\r\ndata: a\n:in between\ndata: b\n\n", [{ data: "a\nb" }]],
    ["a byte order mark at the start", "\uFEFFdata: a\n\n", [{ data: "a" }]],
    ["a byte order mark elsewhere", "data: a\n\n\uFEFFdata: b\n\n", [{ data: "a" }]],
    ["a time to wait", "retry: 500\n\n", [{ retry: 500 }]],
    ["a time to wait without an event", "retry: 500\n", [{ retry: 500 }]],
    ["a time to wait that is no number", "retry: soon\nretry: 5e2\n\n", []],
    ["a time to wait beyond all numbers", `retry: ${"9".repeat(400)}\n\n`, []],
    ["unknown fields", "foo: bar\nbaz\ndata: a\n\n", [{ data: "a" }]],
    ["the event that opens a 2025-11-25 stream", "id: 1\ndata:\n\n", [{ id: "1", data: "" }]],
    ["the same without a data field", "id: 1\n\ndata: a\n\n", [{ id: "1", data: "" }, { data: "a" }]],
    ["an id to forget", "id\n\n", [{ id: "", data: "" }]],
    ["an id with NUL does not count", "id: a\0b\n\n", []],
    ["an event name alone", "event: x\n\ndata: a\n\n", [{ data: "a" }]],
    ["fields that only begin like others", "identity: 1\ndatabase: 2\n\n", []],
    ["characters of several bytes", "data: ä€𝄞\n\n", [{ data: "ä€𝄞" }]],
    ["an event cut off", "data: a\n\ndata: b\n", [{ data: "a" }]],
    ["a line cut off", "data: a\n\ndata: b", [{ data: "a" }]],
    ["nothing", "", []],
  ])("%s", (_, text, delivered) => {
    expect(decode([bytes(text)])).toEqual(delivered);
    expect(decode(chunksOf(bytes(text), 1))).toEqual(delivered);
  });

  it.each([
    ["LF", "data: a\n\n"],
    ["CRLF", "data: a\r\n\r\n"],
    ["CR", "data: a\r\r"],
  ])("delivers at the end of the empty line, with %s", (_, text) => {
    const sink = collect();
    createEventDecoder(sink).push(bytes(text));
    expect(sink.delivered).toEqual([{ data: "a" }]);
  });

  it("takes the LF of a CRLF cut apart as nothing of its own", () => {
    expect(decode([bytes("data: a\r"), bytes("\ndata: b\r"), bytes(""), bytes("\n\r"), bytes("\n")])).toEqual([
      { data: "a\nb" },
    ]);
  });

  it("drops an event that is not UTF-8, reports it once, and goes on", () => {
    const broken = [...bytes("id: 1\ndata: "), 0xff, ...bytes("\ndata: "), 0xff, ...bytes("\ndata: x\n\ndata: ok\n\n")];
    expect(decode([Uint8Array.from(broken)])).toEqual([{ error: "INVALID_UTF8" }, { data: "ok" }]);
    expect(decode(chunksOf(Uint8Array.from(broken), 1))).toEqual([{ error: "INVALID_UTF8" }, { data: "ok" }]);
  });

  it("uses the decoder it is given", () => {
    const decodeLatin1 = (source: Uint8Array, start: number, end: number): string =>
      Buffer.from(source.subarray(start, end)).toString("latin1");
    expect(decode([Uint8Array.of(...bytes("data: "), 0xe4, 10, 10)], { decode: decodeLatin1 })).toEqual([
      { data: "ä" },
    ]);
  });

  it("delivers the rest of a chunk before an exception of the sink leaves, and stays usable", () => {
    const sink = collect();
    const decoder = createEventDecoder({
      ...sink,
      event(event) {
        sink.event(event);
        if (event.data.startsWith("bad")) throw new Error(event.data);
      },
    });
    expect(() => decoder.push(bytes("id: 1\ndata: bad 1\n\ndata: a\n\ndata: bad 2\n\ndata: b"))).toThrow("bad 1");
    decoder.push(bytes("c\n\n"));
    expect(sink.delivered).toEqual([{ id: "1", data: "bad 1" }, { data: "a" }, { data: "bad 2" }, { data: "bc" }]);
  });

  it("starts over after the end, whatever was left", () => {
    const sink = collect();
    const decoder = createEventDecoder(sink, { maxBytes: 10 });
    decoder.push(bytes("data: far too long"));
    decoder.end();
    decoder.push(bytes("id: 1\r"));
    decoder.end();
    decoder.push(bytes("\uFEFFdata: a\n\n: comm"));
    decoder.end();
    decoder.push(bytes("data: b\n\n"));
    expect(sink.delivered).toEqual([{ error: "TOO_LARGE" }, { data: "a" }, { data: "b" }]);
  });
});

describe("the size limit", () => {
  const options = { maxBytes: 16 };
  const tooLarge = { error: "TOO_LARGE" };

  it.each<[string, string, Delivery[]]>([
    ["at the limit", "data: 1234567890\n\ndata: a\n\n", [{ data: "1234567890" }, { data: "a" }]],
    ["one above", "data: a\n\ndata: 12345678901\n\ndata: b\n\n", [{ data: "a" }, tooLarge]],
    ["one above, unterminated", "data: 12345678901", [tooLarge]],
    ["over several lines", "data: 12345\ndata: 12345\n\ndata: a\n\n", [tooLarge]],
    ["over fields other than data", "event: 12345\nid: 12345\ndata: a\n\n", [tooLarge]],
    ["counted in bytes", "data: äääääx\n\n", [tooLarge]],
    ["comments do not count", `: ${"x".repeat(99)}\ndata: a\n:${"x".repeat(99)}\n\n`, [{ data: "a" }]],
    ["keep-alives without an empty line do not add up", ":\r\n".repeat(99), []],
    ["line endings do not count", "data: 1234567890\r\n\r\n", [{ data: "1234567890" }]],
  ])("%s", (_, text, delivered) => {
    expect(decode([bytes(text)], options)).toEqual(delivered);
    expect(decode(chunksOf(bytes(text), 1), options)).toEqual(delivered);
    expect(decode(chunksOf(bytes(text), 7), options)).toEqual(delivered);
  });

  it("is reported while the event is still coming in, once, saying the limit and how to raise it", () => {
    const errors: ProtocolViolation[] = [];
    const decoder = createEventDecoder({ event: () => {}, retry: () => {}, error: (e) => errors.push(e) }, options);
    const chunk = new Uint8Array(64 * 1024).fill(120);
    for (let count = 0; count < 100; count++) decoder.push(chunk);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(ProtocolViolation);
    expect(errors[0]?.message).toMatch(/limit of 16 bytes.*rest of the stream is ignored.*raise `maxBytes`/);
  });

  it.each([0, Number.NaN])("cannot be %d", (maxBytes) => {
    expect(() => createEventDecoder(collect(), { maxBytes })).toThrow(UsageError);
  });
});

describe("linear time", () => {
  it("a megabyte of nothing but CR", () => {
    expect(decode([new Uint8Array(1024 * 1024).fill(13), bytes("data: a\r\r")])).toEqual([{ data: "a" }]);
  });

  it("a long event, one byte at a time", () => {
    const data = "x".repeat(256 * 1024);
    expect(decode(chunksOf(bytes(`data: ${data}\n\n`), 1))).toEqual([{ data }]);
  });

  it("an event of very many lines", () => {
    const count = 100_000;
    expect(decode([bytes(`${"data\n".repeat(count)}\n`)])).toEqual([{ data: "\n".repeat(count - 1) }]);
  });
});

describe("properties", () => {
  const field = fc.string({ unit: "binary", maxLength: 8 }).filter((text) => !/[\r\n\0]/.test(text));
  const event = fc.record(
    { id: field, event: field.filter((text) => text !== ""), data: fc.string({ unit: "binary", maxLength: 20 }) },
    { requiredKeys: ["data"] },
  );
  const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 8 });

  it("events that were encoded are decoded, however the bytes are chunked", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 5 }), field, cuts, (events, comment, sizes) => {
        const whole = bytes(events.map((each) => encodeComment(comment) + encodeEvent(each)).join(""));
        const expected = events.map((each) => ({ ...each, data: each.data.replaceAll(/\r\n?/g, "\n") }));
        expect(decode(chunksOf(whole, ...sizes))).toEqual(expected);
      }),
    );
  });

  it("chunking makes no difference to any stream", () => {
    const piece = fc.constantFrom(
      "data",
      "id",
      ":",
      " ",
      "\r",
      "\n",
      "\r\n",
      "\n\n",
      "a",
      "€",
      "\0",
      "retry: 5",
      "event: x",
    );
    const stream = fc.array(piece, { maxLength: 40 }).map((pieces) => bytes(pieces.join("")));
    fc.assert(
      fc.property(stream, cuts, fc.integer({ min: 1, max: 30 }), (whole, sizes, maxBytes) => {
        expect(decode(chunksOf(whole, ...sizes), { maxBytes })).toEqual(decode([whole], { maxBytes }));
      }),
      { numRuns: 1000 },
    );
  });

  it("chunking makes no difference to bytes that are no text", () => {
    const byte = fc.constantFrom(10, 13, 58, 97, 100, 0xc3, 0xa4, 0xff);
    const stream = fc.array(byte, { maxLength: 40 }).map((list) => Uint8Array.from([...bytes("data:"), ...list]));
    fc.assert(
      fc.property(stream, cuts, (whole, sizes) => {
        expect(decode(chunksOf(whole, ...sizes))).toEqual(decode([whole]));
      }),
    );
  });
});
