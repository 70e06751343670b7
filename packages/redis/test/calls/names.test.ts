import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Names } from "../../src/engine/names.ts";

const names = new Names("app:1");

/** The part of a key that decides which server of a cluster has it. */
function slotOf(key: string): string {
  return /\{([^}]+)\}/.exec(key)?.[1] ?? key;
}

test("all keys of a session are on one server of a cluster, whatever its id is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii", maxLength: 128 }), fc.string({ maxLength: 50 }), (id, stream) => {
      const { record } = names.session(id);
      const slots = [record, ...names.stream(id, stream)].map(slotOf);
      expect(new Set(slots).size).toBe(1);
    }),
  );
});

test("keys are named by hashes, so that they show no ids of sessions and no callers", () => {
  const digest = createHash("sha256").update("secret").digest("base64url").slice(0, 22);
  expect(names.session("secret").record).toBe(`app:1:{${digest}}:s`);
  expect(names.rooms("secret")).toEqual(["app:1:{rooms}:all", `app:1:{rooms}:c:${digest}`]);
  expect([names.limit("secret"), names.once("secret")]).toEqual([`app:1:l:${digest}`, `app:1:o:${digest}`]);
});

test("names that are too long are refused without being shown", () => {
  const long = "secret".repeat(200);
  for (const make of [() => names.session(long), () => names.stream("a", long), () => names.limit(long)]) {
    expect(make).toThrow(
      expect.objectContaining({ code: "TOO_LARGE", message: expect.not.stringContaining("secret") as unknown }),
    );
  }
});
