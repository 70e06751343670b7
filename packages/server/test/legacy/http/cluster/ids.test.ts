import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  readClusterEventId,
  readQuestionId,
  wasGiven,
  writeQuestionId,
  writeStandaloneEventId,
  writeStreamKey,
} from "../../../../src/legacy/http/cluster/ids.ts";

const node = fc.stringMatching(/^[a-z0-9]{10}$/);
const place = fc.stringMatching(/^[A-Za-z0-9._]{0,64}$/);
const sequence = fc.integer({ min: 0, max: 1_000_000_000 });

describe("the ids that nodes make", () => {
  it("name the node that has asked a question, with a number that it has given", () => {
    fc.assert(
      fc.property(node, (name) => {
        const read = readQuestionId(writeQuestionId(name));
        expect(read?.node).toBe(name);
        expect(wasGiven(read?.number ?? 0)).toBe(true);
        expect(wasGiven((read?.number ?? 0) + 1_000_000)).toBe(false);
      }),
    );
  });

  it("name the node and the position of a stream that responds to a POST", () => {
    fc.assert(
      fc.property(node, sequence, (name, position) => {
        const stream = writeStreamKey("POST", name);
        expect(readClusterEventId(`${stream}-${position}`)).toEqual({
          node: name,
          stream,
          place: undefined,
          isStandalone: false,
          sequence: position,
        });
      }),
    );
  });

  it("name the place in the log of changes for a stream that a GET has opened", () => {
    fc.assert(
      fc.property(node, place, sequence, (name, at, position) => {
        const stream = writeStreamKey("GET", name);
        expect(readClusterEventId(writeStandaloneEventId(stream, at, position))).toEqual({
          node: name,
          stream,
          place: at === "" ? undefined : at,
          isStandalone: true,
          sequence: position,
        });
      }),
    );
  });

  it("are never read from what clients make up", () => {
    for (const id of [
      "",
      "p",
      "pa.1",
      "pA.1-2",
      "ga.1-2",
      "pa.1-2-3",
      "pa.-1",
      "pa.1-",
      `pa.1-${"9".repeat(16)}`,
      "xa.1-2",
    ]) {
      expect(readClusterEventId(id)).toBeUndefined();
    }
    for (const id of [
      1,
      null,
      undefined,
      "",
      "a",
      "a.",
      ".1",
      "a.1.2",
      "A.1",
      `a.${"9".repeat(16)}`,
      `${"a".repeat(33)}.1`,
    ]) {
      expect(readQuestionId(id)).toBeUndefined();
    }
  });

  it("are told from anything else in any text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { stream } = readClusterEventId(text) ?? {};
        expect(stream === undefined || text.startsWith(`${stream}-`)).toBe(true);
      }),
    );
  });
});
