import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HttpResponseReader, readHeader } from "../../src/load/http-response.ts";

interface Read {
  status: number;
  head: string;
  body: string;
}

function readInPieces(pieces: readonly Buffer[]): Read[] {
  const responses: Read[] = [];
  const reader = new HttpResponseReader(({ status, head, body }) => {
    responses.push({ status, head, body: Buffer.concat(body).toString() });
  });
  for (const piece of pieces) reader.push(piece);
  return responses;
}

const sized = (body: string, status = 200): string =>
  `HTTP/1.1 ${status} OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const chunked = (...chunks: string[]): string => {
  const framed = chunks.map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`);
  return `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${framed.join("")}0\r\n\r\n`;
};

describe("HttpResponseReader", () => {
  test("reads a body of a given length", () => {
    expect(readInPieces([Buffer.from(sized(`{"a":1}`, 400))])).toMatchObject([{ status: 400, body: `{"a":1}` }]);
  });

  test("joins the chunks of a chunked body", () => {
    expect(readInPieces([Buffer.from(chunked("data: 1\n", "\n"))])).toMatchObject([{ body: "data: 1\n\n" }]);
  });

  test("ends at the head if there is no body", () => {
    const text = `HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\nHTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n`;
    expect(readInPieces([Buffer.from(text)])).toMatchObject([
      { status: 202, body: "" },
      { status: 101, body: "" },
    ]);
  });

  test("reads the same however the bytes are cut", () => {
    const body = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });
    const response = fc.oneof(
      body.map((text) => ({ text, wire: sized(text) })),
      fc
        .array(body, { minLength: 1, maxLength: 4 })
        .map((parts) => ({ text: parts.join(""), wire: chunked(...parts) })),
    );
    fc.assert(
      fc.property(
        fc.array(response, { minLength: 1, maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }),
        (responses, sizes) => {
          const wire = Buffer.from(responses.map((each) => each.wire).join(""));
          const pieces: Buffer[] = [];
          for (let at = 0, turn = 0; at < wire.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            pieces.push(wire.subarray(at, at + size));
            at += size;
          }
          expect(readInPieces(pieces).map((each) => each.body)).toEqual(responses.map((each) => each.text));
        },
      ),
    );
  });
});

describe("readHeader", () => {
  test("finds a header whatever its case", () => {
    const head = "Content-Type: application/json\r\nMcp-Session-Id: abc\r\nDate: today";
    expect(readHeader(head, "mcp-session-id")).toBe("abc");
    expect(readHeader(head, "date")).toBe("today");
    expect(readHeader(head, "etag")).toBe("");
  });
});
