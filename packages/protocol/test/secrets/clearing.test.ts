import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createClearing, SECRET_MARK, SecretSet } from "../../src/secrets/index.ts";

/**
 * Secrets of all sorts: blanks, line breaks, tabs, quotes, other scripts. Blanks at their ends are not looked for, and a replacement
 * character stands for bytes that are no text.
 */
const secretText = fc
  .oneof(
    fc.string({ minLength: 8, maxLength: 40 }),
    fc.string({ minLength: 8, maxLength: 40, unit: "grapheme" }),
    fc.string({
      minLength: 8,
      maxLength: 24,
      unit: fc.constantFrom(...Array.from("aZ09 \t\n\r\"'\\<>&%+=/-_.:;{}äß漢🔑")),
    }),
    fc.base64String({ minLength: 12, maxLength: 60 }),
  )
  .map((text) => text.trim())
  .filter((text) => text.length >= 8 && !text.includes(SECRET_MARK) && !/[\0\uFFFD\p{Surrogate}]/u.test(text));

/** What is around a secret. An escape that has begun there would take the first characters of the secret with it. */
const surrounding = fc
  .oneof(
    fc.string({ maxLength: 20 }),
    fc.string({ maxLength: 20, unit: fc.constantFrom(...Array.from('aZ09+/=%&\\-_ \n";:')) }),
    fc.constantFrom("Basic ", '{"token":"', "https://example.com/?key=", "%C3", "="),
  )
  .map((text) => text.replace(/(?:[%\\][u{]?[\da-f]{0,3}|&#?\w*)+$/i, ""));

const bytesOf = (text: string): Buffer => Buffer.from(text);
const percent = (text: string, keep = /[A-Za-z0-9]/): string =>
  Array.from(text, (char) =>
    keep.test(char) ? char : Array.from(bytesOf(char), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  ).join("");

/** Every form that is promised, one encoding deep. */
const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  "as it is": (secret) => secret,
  "percent-encoded": (secret) => encodeURIComponent(secret),
  "percent-encoded in lower case": (secret) => percent(secret),
  "percent-encoded whole": (secret) => percent(secret, /$^/),
  "percent-encoded in part": (secret) => percent(secret, /[^%a]/).replaceAll("+", "%2B"),
  "in a form": (secret) => new URLSearchParams({ s: secret }).toString().slice(2),
  "escaped by escape()": (secret) =>
    Array.from({ length: secret.length }, (_, index) => secret.charCodeAt(index))
      .map((unit) => `%u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  "in HTML by names": (secret) =>
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
  "in HTML by numbers": (secret) => Array.from(secret, (char) => `&#${char.codePointAt(0)};`).join(""),
  "in HTML in hexadecimal": (secret) =>
    Array.from(secret, (char) => `&#x${char.codePointAt(0)?.toString(16)};`).join(""),
  "in JSON": (secret) => JSON.stringify(secret).slice(1, -1),
  "in JSON in ASCII": (secret) =>
    JSON.stringify(secret)
      .slice(1, -1)
      .replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  "in JSON with escaped slashes": (secret) => JSON.stringify(secret).slice(1, -1).replaceAll("/", "\\/"),
  "in JavaScript": (secret) =>
    Array.from(secret, (char) => {
      const code = char.codePointAt(0) ?? 0;
      return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
    }).join(""),
  "in hexadecimal": (secret) => bytesOf(secret).toString("hex"),
  "in hexadecimal in upper case": (secret) => bytesOf(secret).toString("hex").toUpperCase(),
  "in hexadecimal with colons": (secret) => bytesOf(secret).toString("hex").replaceAll(/..\B/g, "$&:"),
  "in hexadecimal with blanks": (secret) => bytesOf(secret).toString("hex").replaceAll(/..\B/g, "$& "),
  "in base64": (secret) => bytesOf(secret).toString("base64"),
  "in base64 without padding": (secret) => bytesOf(secret).toString("base64").replaceAll("=", ""),
  "in base64url": (secret) => bytesOf(secret).toString("base64url"),
  "in base64 with line breaks": (secret) => bytesOf(secret).toString("base64").replaceAll(/.{5}/g, "$&\r\n"),
  // Of characters of Latin-1 alone.
  "in base64 of UTF-16": (secret) =>
    Buffer.from(`a${secret}`, /^[\0-\u00ff]*$/.test(secret) ? "utf16le" : "utf8").toString("base64"),
  "in quoted-printable": (secret) =>
    Array.from(bytesOf(secret), (byte) => `=${byte.toString(16).padStart(2, "0").toUpperCase()}`).join("=\r\n"),
};

/** Whether a text still has a form of a secret. */
const shows = (text: string, form: string): boolean => text.includes(form);

describe("a secret is taken out of a text", () => {
  test.each(Object.entries(FORMS))("%s, whatever is around it", (_, write) => {
    fc.assert(
      fc.property(secretText, surrounding, surrounding, (secret, before, after) => {
        const form = write(secret);
        const cleared = createClearing([secret]).text(`${before}${form}${after}`);
        expect(cleared).toContain(SECRET_MARK);
        expect(shows(cleared, form)).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  const pairs = Object.keys(FORMS).flatMap((inner) => Object.keys(FORMS).map((outer) => [inner, outer] as const));
  test("in every form of every form", () => {
    fc.assert(
      fc.property(secretText, fc.constantFrom(...pairs), (secret, [inner, outer]) => {
        const form = FORMS[outer]!(FORMS[inner]!(secret));
        expect(createClearing([secret]).text(`<${form}>`)).toContain(SECRET_MARK);
      }),
      { numRuns: 600 },
    );
  });

  test("in Basic credentials behind a name of any length", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), secretText, (name, password) => {
        const credentials = bytesOf(`${name}:${password}`).toString("base64");
        const cleared = createClearing([password]).text(`authorization: Basic ${credentials}`);
        expect(cleared).toMatch(/^authorization: Basic \[secret\]=*$/);
      }),
      { numRuns: 200 },
    );
  });
});

test("What is around a secret stays as it was, and escapes there as well", () => {
  const clearing = createClearing(["pass word&1"]);
  expect(clearing.text("a%20b pass%20word%261%20c")).toBe("a%20b [secret]%20c");
  expect(clearing.text('{"a":"\\n","b":"pass word&amp;1\\n"}')).toBe('{"a":"\\n","b":"[secret]\\n"}');
  expect(clearing.text("x=pass+word%261&y=1")).toBe("x=[secret]&y=1");
});

test("A secret of eight characters is found, one of seven is not, at the beginning and at the end of a text", () => {
  const clearing = createClearing(["12345678", "abcdefg"]);
  expect(clearing.text("12345678")).toBe("[secret]");
  expect(clearing.text("x12345678")).toBe("x[secret]");
  expect(clearing.text("12345678x")).toBe("[secret]x");
  expect(clearing.text("1234567")).toBe("1234567");
  expect(clearing.text("abcdefg")).toBe("abcdefg");
  expect(createClearing(["   1234567   "]).text("   1234567   ")).toBe("   1234567   ");
});

test("The beginning of a secret is never taken for the secret, wherever it is", () => {
  const secret = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";
  const clearing = createClearing([secret]);
  for (let length = 1; length < secret.length; length += 1) {
    const text = `Error: no such city: ${secret.slice(0, length)}`;
    expect(clearing.text(text)).toBe(text);
    expect(clearing.text(secret.slice(length))).toBe(secret.slice(length));
  }
});

test("Secrets that overlap become one mark, and others one each", () => {
  const clearing = createClearing(["abcdefgh12345678", "12345678abcdefgh", "34567890"]);
  expect(clearing.text("abcdefgh12345678abcdefgh")).toBe("[secret]");
  expect(clearing.text("abcdefgh12345678 12345678abcdefgh")).toBe("[secret] [secret]");
  expect(clearing.text("abcdefgh1234567812345678abcdefgh")).toBe("[secret][secret]");
  expect(clearing.text("abcdefgh1234567890!")).toBe("[secret]!");
});

test("A secret that the caller has sent stays, in whatever form, and others are cleared", () => {
  const secrets = ["correct-horse-battery", "staple-of-somebody"];
  for (const write of Object.values(FORMS)) {
    const clearing = createClearing(secrets, { city: ["Oslo", { [write(secrets[0]!)]: true }] });
    expect(clearing.text(`${secrets[0]} ${secrets[1]}`)).toBe(`${secrets[0]} [secret]`);
    expect(clearing.value([secrets[0], bytesOf(secrets[0]!).toString("base64")])).toEqual([
      secrets[0],
      bytesOf(secrets[0]!).toString("base64"),
    ]);
  }
  expect(createClearing(["12345678"], { pin: 12_345_678 }).text("12345678")).toBe("12345678");
  expect(createClearing(["12345678"], { pin: 123_456_789 }).text("12345678")).toBe("12345678");
  expect(createClearing(secrets, { city: "correct-horse-batter" }).text(secrets[0]!)).toBe("[secret]");
});

test("All texts of a value are cleared, names of members as well, and a value without secrets stays the same object", () => {
  const clearing = createClearing(["canary-of-a-value", "short", "12345678"]);
  const value = { list: [{ text: "nothing" }], more: null, count: 1, large: 1_234_567 };
  expect(clearing.value(value)).toBe(value);
  expect(clearing.value([{ "canary-of-a-value": { deep: ["xcanary-of-a-valuex", 12_345_678, "short"] } }])).toEqual([
    { "[secret]": { deep: ["x[secret]x", "[secret]", "short"] } },
  ]);
  const named = JSON.parse('{"__proto__":"canary-of-a-value"}') as object;
  expect(Object.entries(clearing.value(named))).toEqual([["__proto__", "[secret]"]]);
});

describe("binary data with a secret in it is left out", () => {
  const secret = "canary-of-binary-data";
  const encodings: Readonly<Record<string, Buffer>> = {
    "UTF-8": Buffer.from(secret),
    "UTF-16, the low byte first": Buffer.from(secret, "utf16le"),
    "UTF-16, the high byte first": Buffer.from(secret, "utf16le").swap16(),
    base64: Buffer.from(Buffer.from(secret).toString("base64")),
  };
  test.each(Object.entries(encodings))("as %s, at an even and at an odd place", (_, encoded) => {
    const clearing = createClearing([secret]);
    for (const before of [0, 1, 2, 3]) {
      const bytes = Buffer.concat([Buffer.alloc(before, 0xff), encoded, Buffer.from([0, 0xff, 1])]);
      expect(clearing.holds(bytes)).toBe(true);
      const data = bytes.toString("base64");
      const text = "[secret] Binary data is left out here, because it contains a credential.";
      expect(clearing.value({ type: "image", data, mimeType: "image/png" })).toEqual({ type: "text", text });
      expect(clearing.value({ type: "audio", data, mimeType: "audio/wav" })).toEqual({ type: "text", text });
      expect(clearing.value({ uri: "file:///a", mimeType: "image/png", blob: data })).toEqual({
        uri: "file:///a",
        mimeType: "image/png",
        text,
      });
      expect(createClearing([secret], { secret }).holds(bytes)).toBe(false);
    }
    const harmless = { type: "image", data: Buffer.from(secret.slice(1)).toString("base64") };
    expect(clearing.value(harmless)).toBe(harmless);
  });
});

test("A value that two owners have added is looked for until both have taken it back", () => {
  const set = new SecretSet();
  const endOne = set.add("the-same-value");
  const endOther = set.add("the-same-value");
  endOne();
  endOne();
  expect(set.clear("the-same-value")).toBe("[secret]");
  endOther();
  expect(set.clear("the-same-value")).toBe("the-same-value");
  expect(set.size).toBe(0);
});

test("Many secrets are found as few are, also those that begin or end alike, and none that was removed", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(9999), { minLength: 2, maxLength: 60 }), fc.boolean(), (numbers, isPrefix) => {
      const secrets = numbers.map((number) => {
        const own = String(number).padStart(4, "0");
        return isPrefix ? `sk_live_common_${own}` : `${own}_common_to_all`;
      });
      const set = new SecretSet();
      const ends = secrets.map((secret) => set.add(secret));
      const text = secrets.map((secret) => `<${secret}>`).join("");
      expect(set.clear(text)).toBe(secrets.map(() => "<[secret]>").join(""));
      const kept = secrets.map((_, index) => index % 2 === 0);
      for (const [index, end] of ends.entries()) if (kept[index] !== true) end();
      expect(set.clear(text)).toBe(
        secrets.map((secret, index) => (kept[index] ? "<[secret]>" : `<${secret}>`)).join(""),
      );
    }),
    { numRuns: 50 },
  );
});
