import { describe, expect, it } from "vitest";
import { flatten, makeHostileTexts } from "../../../../test/hostile-texts.ts";
import { findExcess, findFirstExcess } from "../../../../test/linear-growth.ts";
import type { HttpBackend } from "../../src/transports/http/backend.ts";
import { HttpClient } from "../../src/transports/http/client.ts";
import type { MessageSink } from "../../src/transports/http/message-sink.ts";
import { readAddress } from "../../src/transports/http/headers.ts";
import { namesRequest } from "../../src/transports/http/errors.ts";
import { covers, fromWire } from "../../src/messages/changes.ts";

const ignore = (): void => {};
const SINK: MessageSink = {
  allowsBatch: true,
  message: ignore,
  violation: ignore,
  refused: ignore,
  end: ignore,
  failed: ignore,
};
const BACKEND: HttpBackend = {
  spareConnections: 0,
  send: () => ({ mayBeSent: true, abort: ignore }),
  close: () => Promise.resolve(),
};
const CLIENT = new HttpClient(new URL("http://example.com/mcp"), {}, BACKEND);

const uris = (size: number): string[] => Array.from({ length: size }, (_, n) => `file:///${n}`);

describe("the time that a client takes for what a server answers", () => {
  /** Reads an answer of some size, in chunks of a few bytes. */
  function read(contentType: string, status: number, unit: string): string | undefined {
    return findExcess(
      (size) => {
        const bytes = new TextEncoder().encode(unit.repeat(size / unit.length));
        return Array.from({ length: bytes.length / 4 }, (_, n) => bytes.subarray(n * 4, n * 4 + 4));
      },
      (chunks) => {
        const reader = CLIENT.send("POST", {}, "{}", SINK);
        reader.head(status, (name) => (name === "content-type" ? contentType : undefined));
        for (const chunk of chunks) reader.chunk(chunk);
        reader.end();
      },
    );
  }

  it.each([
    ["application/json", 200, "a"],
    ["application/json", 200, " "],
    ["application/json", 200, '"\\u0000'],
    ["text/event-stream", 200, "data: a\n\n"],
    ["text/event-stream", 200, "data: {\n\n"],
    ["text/event-stream", 200, "data: a\n"],
    ["text/event-stream", 200, ": a\n"],
    ["text/html", 400, '"id" : '],
  ])("is in proportion to an answer: %s with status %i and %j, over and over", (contentType, status, unit) => {
    expect(read(contentType, status, unit)).toBeUndefined();
  });

  it("is in proportion to a page that may name a request", () => {
    const names = (text: string): boolean =>
      namesRequest({ status: 400, header: () => undefined, text, error: undefined }, 1);
    expect(findFirstExcess(makeHostileTexts('{"id" : "1"}'), names)).toBeUndefined();
  }, 120_000);

  it("is in proportion to an address that it is sent on to", () => {
    const from = new URL("https://a.example/mcp");
    expect(findFirstExcess(makeHostileTexts("/b?c#d", "//u@a.example"), (text) => void readAddress(text, from))).toBe(
      undefined,
    );
  }, 120_000);

  it("is in proportion to what a server says it will tell of", () => {
    const excess = findExcess(
      (size) => [{ resourceSubscriptions: uris(size).toReversed() }, { uris: uris(size) }] as const,
      ([acknowledged, asked]) => void fromWire(acknowledged, asked),
      65_536,
    );
    expect(excess).toBeUndefined();
    const accepted = { tools: false, prompts: false, resources: false, uris: uris(100) };
    const isCovered = (uri: string): boolean => covers(accepted, { kind: "resource", uri });
    expect(findExcess((size) => flatten("file:///".padEnd(size, "a")), isCovered)).toBeUndefined();
  });
});
