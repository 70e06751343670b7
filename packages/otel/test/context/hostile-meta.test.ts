/** Peers may write anything into `traceparent`, `tracestate` and `baggage`. */
import { isSpanContextValid, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { extractContext, injectContext, remoteSpanOf } from "../../src/context/carrier.ts";
import { Collector } from "../collector.ts";

let collector: Collector;

beforeAll(async () => {
  collector = await Collector.start();
});
afterAll(() => collector.stop());

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...Array.from("0123456789abcdef")), minLength: length, maxLength: length });

/** Something that looks like the header, with parts that are wrong now and then. */
const nearlyTraceparent = fc
  .tuple(
    fc.oneof(fc.constant("00"), hex(2)),
    fc.oneof(hex(32), hex(31), fc.constant("0".repeat(32))),
    fc.oneof(hex(16), fc.constant("0".repeat(16))),
    fc.oneof(hex(2), fc.string()),
  )
  .map((parts) => parts.join("-"));

const hostile = fc.oneof(nearlyTraceparent, fc.string(), fc.anything(), fc.string({ minLength: 513, maxLength: 9000 }));

const hostileMeta = fc.record(
  { traceparent: hostile, tracestate: hostile, baggage: hostile, __proto__: fc.anything() },
  { requiredKeys: [] },
);

const TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

describe("the trace context of a peer", () => {
  test("is read where it is valid, and is absent in all other cases", () => {
    fc.assert(
      fc.property(hostileMeta, fc.boolean(), (meta, withBaggage) => {
        const extracted = extractContext(meta, withBaggage);
        const span = remoteSpanOf(extracted);
        if (span === undefined) return;
        expect(isSpanContextValid(span)).toBe(true);
        expect(span.isRemote).toBe(true);
        expect(typeof meta.traceparent).toBe("string");
        expect((meta.traceparent as string).length).toBeLessThanOrEqual(512);
      }),
      { numRuns: 2000 },
    );
  });

  test("brings baggage only if that is wanted, and a bounded amount", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 10_000 }), (value) => {
        const meta = { traceparent: TRACEPARENT, baggage: `key=${encodeURIComponent(value)}` };
        expect(propagation.getBaggage(extractContext(meta, false)!)).toBeUndefined();
        const taken = propagation.getBaggage(extractContext(meta, true)!);
        if (meta.baggage.length > 8192) expect(taken).toBeUndefined();
      }),
      { numRuns: 300 },
    );
    const taken = extractContext({ baggage: "user=ada" }, true);
    expect(propagation.getBaggage(taken!)?.getEntry("user")?.value).toBe("ada");
  });

  test("is not looked for in values that are no objects of members", () => {
    for (const meta of [undefined, [], { traceparent: 7 }, { traceparent: { toString: () => TRACEPARENT } }]) {
      expect(extractContext(meta, true)).toBeUndefined();
    }
  });

  test("is passed on whole, in place of the state and the baggage of somebody else", () => {
    const context = extractContext({ traceparent: TRACEPARENT, tracestate: "vendor=1", baggage: "user=ada" }, true)!;
    expect(injectContext(context, true)).toEqual({
      traceparent: TRACEPARENT,
      tracestate: "vendor=1",
      baggage: "user=ada",
    });
    expect(injectContext(context, false)).toEqual({
      traceparent: TRACEPARENT,
      tracestate: "vendor=1",
      baggage: undefined,
    });
    expect(injectContext(ROOT_CONTEXT, true)).toBeUndefined();
    const plain = trace.setSpanContext(ROOT_CONTEXT, {
      traceId: "1".repeat(32),
      spanId: "2".repeat(16),
      traceFlags: 0,
    });
    expect(injectContext(plain, true)).toHaveProperty("tracestate", undefined);
  });
});
