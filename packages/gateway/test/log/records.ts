import fc from "fast-check";
import { createCallId } from "../../src/log/call-id.ts";
import { OUTCOMES, type CallRecord } from "../../src/log/call-record.ts";

/** A record, with members of your own. */
export function makeRecord(members: Partial<CallRecord> = {}): CallRecord {
  const at = members.at ?? Date.now();
  return {
    id: createCallId(at),
    at,
    node: "gateway-1",
    server: "weather",
    tool: "get_weather",
    source: "http",
    revision: "2025-11-25",
    outcome: "ok",
    httpStatus: 200,
    attempts: 1,
    durationMs: 12.5,
    steps: { validate: 0.02, resolve: 0.01, authorize: 0.001, call: 12, transform: 0.1 },
    firstByteMs: 11.5,
    requestBytes: 17,
    responseBytes: 512,
    isTruncated: false,
    ...members,
  };
}

const text = fc.oneof(
  fc.string({ maxLength: 40, unit: "binary" }),
  fc.constantFrom('"', "\\", "{}", "NULL", "a,b", "\0", "\uD800", "null"),
);

/** Records of a few servers, tools and clients between two times, with everything that strings and numbers can hold. */
export function anyRecord(from: number, to: number): fc.Arbitrary<CallRecord> {
  const duration = fc.double({ min: 0, max: 300_000, noNaN: true });
  return fc
    .record(
      {
        at: fc.integer({ min: from, max: to - 1 }),
        node: fc.constantFrom("a", "b"),
        server: fc.constantFrom("weather", "payments"),
        tool: fc.oneof({ weight: 4, arbitrary: fc.constantFrom("get", "list", "Z", "ä") }, text),
        source: fc.constantFrom("http", "openapi", "mcp", "none"),
        principal: fc.constantFrom("ada", "bob"),
        clientName: fc.oneof(fc.constantFrom("claude", "cursor", ""), text),
        clientVersion: text,
        userAgent: fc.oneof(fc.constantFrom("curl/8.1 (x)", "node", " odd"), text),
        revision: fc.constantFrom("2025-11-25", "2026-07-28"),
        outcome: fc.constantFrom(...OUTCOMES),
        rpcCode: fc.integer({ min: -32_768, max: 0 }),
        httpStatus: fc.constantFrom(200, 404, 500),
        attempts: fc.integer({ min: 0, max: 3 }),
        durationMs: duration,
        steps: fc.record(
          { validate: duration, resolve: duration, authorize: duration, call: duration, transform: duration },
          { requiredKeys: [] },
        ),
        firstByteMs: duration,
        requestBytes: fc.nat(),
        responseBytes: fc.nat(),
        isTruncated: fc.boolean(),
        error: text,
        traceId: fc.constantFrom("0af7651916cd43dd8448eb211c80319c"),
        capture: fc.record({ arguments: text, response: text }),
      },
      {
        requiredKeys: [
          "at",
          "node",
          "server",
          "tool",
          "source",
          "revision",
          "outcome",
          "attempts",
          "durationMs",
          "steps",
          "requestBytes",
          "responseBytes",
          "isTruncated",
        ],
      },
    )
    .map((record) => ({ ...record, id: createCallId(record.at) }));
}
