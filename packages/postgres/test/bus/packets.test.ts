import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPlace, writePlace } from "../../src/bus/change-log.ts";
import { parsePacket } from "../../src/bus/packets.ts";
import { Seal } from "../../src/bus/seal.ts";

const SECRET = "0123456789abcdef".repeat(4);

describe("A sealed packet", () => {
  const seal = new Seal(SECRET);

  it("is opened by whoever knows the secret, on the channel that it was sealed for", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const sealed = seal.close(text, "toolwire.all");
        expect(new Seal(SECRET).open(sealed, "toolwire.all")).toBe(text);
        expect(seal.open(sealed, "toolwire.other")).toBeUndefined();
        expect(new Seal(SECRET.replace("0", "1")).open(sealed, "toolwire.all")).toBeUndefined();
      }),
    );
  });

  it("is not opened if anything in it was changed", () => {
    const bytes = Buffer.from(seal.close("text", "all"), "base64");
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(seal.open(changed.toString("base64"), "all")).toBeUndefined();
    }
  });

  it("may be any text that others send", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
        expect(seal.open(text, "all")).toBeUndefined();
      }),
    );
  });

  it("is different each time, so that Postgres does not fold two equal ones into one", () => {
    expect(seal.close("text", "all")).not.toBe(seal.close("text", "all"));
  });
});

describe("A packet", () => {
  it("is parsed as it was written, and members that are not known are ignored", () => {
    const packet = { type: "message", id: "1", from: "node", kind: "x", body: "{}" };
    expect(parsePacket(JSON.stringify({ ...packet, later: true }))).toEqual(packet);
    expect(parsePacket('{"type":"reply","id":"1","from":"node","row":"r"}')).toMatchObject({ row: "r" });
  });

  it("of another kind is ignored, whatever it is", () => {
    for (const text of ["", "{", "null", "[]", "1", '{"type":"message","id":"1","from":"node"}', '{"type":"x"}']) {
      expect(parsePacket(text)).toBeUndefined();
    }
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parsePacket(text)).toBeUndefined();
      }),
    );
  });
});

describe("A place in the log of changes", () => {
  it("is read as it was written, and nothing else is", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{10}$/), fc.nat(), (epoch, position) => {
        expect(readPlace(writePlace({ epoch, position }))).toEqual({ epoch, position });
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        const place = readPlace(text);
        if (place !== undefined) expect(text).toMatch(/^[a-z0-9]{10}\.\d{1,15}$/);
      }),
    );
  });
});
