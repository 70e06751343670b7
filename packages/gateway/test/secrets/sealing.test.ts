import { Buffer } from "node:buffer";
import { inspect } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createSealingKey, readSealingKeys } from "../../src/secrets/sealing-keys.ts";
import { Sealer } from "../../src/secrets/sealing.ts";
import { Secret } from "../../src/secrets/secret.ts";

const OLD = `old:${Buffer.alloc(32, 1).toString("base64")}`;
const NEW = `new:${Buffer.alloc(32, 2).toString("hex")}`;
const identity = { name: "stripe", principal: "ada", version: 3 };

function sealerOf(...keys: string[]): Sealer {
  return new Sealer(readSealingKeys(keys.join(",")));
}

test("A sealed secret opens to the same value, and two seals of it share nothing", () => {
  const sealer = sealerOf(OLD);
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (value) => {
      const one = sealer.seal(value, identity);
      const other = sealer.seal(value, identity);
      expect(sealer.open(one, identity)).toBe(Buffer.from(value).toString());
      expect(one.wrapped).not.toBe(other.wrapped);
      expect(one.sealed).not.toBe(other.sealed);
      expect(Buffer.from(one.wrapped, "base64")).toHaveLength(60);
    }),
  );
});

test("sealed-secrets-are-bound: rows that are swapped, changed or of another version do not open", () => {
  const sealer = sealerOf(OLD);
  const sealed = sealer.seal("sk_live_1234", identity);
  const others = [
    { ...identity, name: "github" },
    { ...identity, principal: "bob" },
    { ...identity, principal: undefined },
    { ...identity, version: 2 },
  ];
  for (const other of others) {
    expect(() => sealer.open(sealed, other)).toThrow("its row was changed or belongs to another secret");
    const ofOther = sealer.seal("value-of-other", other);
    expect(() => sealer.open({ ...sealed, sealed: ofOther.sealed }, identity)).toThrow("cannot be opened");
    expect(() => sealer.open({ ...sealed, wrapped: ofOther.wrapped }, identity)).toThrow("cannot be opened");
  }
  for (const member of ["wrapped", "sealed"] as const) {
    const bytes = Buffer.from(sealed[member], "base64");
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => sealer.open({ ...sealed, [member]: changed.toString("base64") }, identity)).toThrow(
        "cannot be opened",
      );
    }
    expect(() => sealer.open({ ...sealed, [member]: "" }, identity)).toThrow("cannot be opened");
  }
});

test("sealed-secrets-are-bound: an old key opens until it is taken away, and a wrong key of the same id never does", () => {
  const sealed = sealerOf(OLD).seal("sk_live_1234", identity);
  const both = sealerOf(NEW, OLD);
  expect(both.open(sealed, identity)).toBe("sk_live_1234");
  expect(both.isOutdated(sealed)).toBe(true);
  const rewrapped = both.rewrap(sealed, identity);
  expect(rewrapped.sealed).toBe(sealed.sealed);
  expect(both.isOutdated(rewrapped)).toBe(false);
  expect(sealerOf(NEW).open(rewrapped, identity)).toBe("sk_live_1234");
  expect(() => sealerOf(NEW).open(sealed, identity)).toThrow(
    "The secret stripe of ada is sealed with the key old, which is not among the sealing keys (new)",
  );
  const impostor = `old:${Buffer.alloc(32, 9).toString("base64")}`;
  expect(() => sealerOf(impostor).open(sealed, identity)).toThrow("the same id as the right one but another value");
});

test("Sealing keys are read from a list, and errors name the key that is wrong without showing it", () => {
  expect(readSealingKeys(`# comment\n${NEW}\n\n${OLD}\n`).map(({ id }) => id)).toEqual(["new", "old"]);
  expect(readSealingKeys(createSealingKey())).toHaveLength(1);
  expect(() => readSealingKeys("")).toThrow("is empty");
  expect(() => readSealingKeys(`${OLD},${OLD}`)).toThrow("Two sealing keys have the id old");
  expect(() => readSealingKeys("file:/does/not/exist")).toThrow(
    "The file with the sealing keys, /does/not/exist, cannot be read",
  );
  for (const wrong of [
    "a:hunter2",
    `hunter2hunter2hunter2hunter2hunter2hunter2`,
    `a b:${"x".repeat(43)}`,
    "a:=hunter2",
  ]) {
    const error = (() => {
      try {
        return readSealingKeys(`${OLD},${wrong}`);
      } catch (reason) {
        return reason;
      }
    })();
    expect(String(error)).toMatch(/^UsageError: Sealing key 2/);
    expect(String(error)).not.toContain("hunter2");
  }
});

test("secrets-appear-nowhere: a secret prints as a mark, however it is printed", () => {
  const secret = new Secret("canary-4711-value");
  const outputs = [
    String(secret),
    JSON.stringify({ secret }),
    inspect({ secret }, { showHidden: true, depth: 9, getters: true }),
    inspect(secret),
    JSON.stringify(Object.entries(secret)),
    new Error(`failed: ${String(secret)}`).stack ?? "",
  ];
  for (const output of outputs) expect(output).not.toContain("canary");
  expect(inspect({ secret })).toBe("{ secret: [secret] }");
  expect(secret.reveal()).toBe("canary-4711-value");
});
