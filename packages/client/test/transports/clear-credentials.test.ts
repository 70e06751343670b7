import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clearCredentials } from "../../src/transports/clear-credentials.ts";

const eachCharacter = (write: (code: number) => string) => (text: string) =>
  [...text].map((character) => write(character.charCodeAt(0))).join("");
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");

/** How programs write a text that they repeat. */
const ESCAPES: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "percent, where needed": encodeURIComponent,
  "percent, everywhere": eachCharacter((code) => `%${hex(code, 2).toUpperCase()}`),
  "percent, in small letters": eachCharacter((code) => `%${hex(code, 2)}`),
  form: (text) => new URLSearchParams({ "": text }).toString().slice(1),
  json: (text) => JSON.stringify(text).slice(1, -1),
  "json, with slashes": (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
  "json, everywhere": eachCharacter((code) => `\\u${hex(code, 4)}`),
  "two digits of a language": eachCharacter((code) => `\\x${hex(code, 2)}`),
  "html, where needed": (text) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&apos;"),
  "html, in digits": eachCharacter((code) => `&#${code};`),
  "html, in hexadecimal digits": eachCharacter((code) => `&#x${hex(code, 2)};`),
};

/** Spellings that cannot be read character by character. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  base64: (text) => Buffer.from(text).toString("base64"),
  "base64 for URLs": (text) => Buffer.from(text).toString("base64url"),
  "base64 with one byte before": (text) => Buffer.from(`x${text}`).toString("base64").slice(2),
  "base64 with two bytes before": (text) => Buffer.from(`xy${text}`).toString("base64").slice(3),
  "base64 of a header": (text) => Buffer.from(`authorization: Bearer ${text}\r\n`).toString("base64"),
  hexadecimal: (text) => Buffer.from(text).toString("hex"),
  "hexadecimal in capitals": (text) => Buffer.from(text).toString("hex").toUpperCase(),
};

/** Tokens and passwords: visible characters of ASCII, which headers can carry. */
const secrets = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 8,
  maxLength: 60,
});
const words = fc.constantFrom("", "The token ", " is not known", "(", '"', "\n", "äöü ", "😀", "= ");

describe("a credential is cleared in every spelling", () => {
  test.each(Object.keys({ ...ESCAPES, ...ENCODINGS }))("%s", (name) => {
    const write = { ...ESCAPES, ...ENCODINGS }[name]!;
    fc.assert(
      fc.property(secrets, words, words, (secret, before, after) => {
        const cleared = clearCredentials(`${before}${write(secret)}${after}`, [secret]);
        expect(cleared.startsWith(before)).toBe(true);
        expect(cleared.endsWith(after)).toBe(true);
        // Nothing but the edges of base64, which hold bits of their neighbours, is left.
        expect(cleared.length - before.length - after.length).toBeLessThanOrEqual(name.startsWith("base64") ? 40 : 1);
        expect(cleared).toContain("…");
        expect(cleared).not.toContain(write(secret));
      }),
    );
  });

  test("also with two of them on top of each other", () => {
    const escapes = fc.constantFrom(...Object.keys(ESCAPES));
    const all = fc.constantFrom(...Object.keys({ ...ESCAPES, ...ENCODINGS }));
    fc.assert(
      fc.property(secrets, all, escapes, (secret, inner, outer) => {
        const written = ESCAPES[outer]!({ ...ESCAPES, ...ENCODINGS }[inner]!(secret));
        const cleared = clearCredentials(`a ${written} b`, [secret]);
        expect(cleared).toContain("…");
        expect(cleared).not.toContain(written);
      }),
    );
  });

  test("also with each character in a spelling of its own", () => {
    const names = Object.keys(ESCAPES).filter((name) => name !== "as it is" && name !== "form");
    const pick = fc.array(fc.constantFrom("as it is", ...names), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9._~-]{8,60}$/), pick, (secret, chosen) => {
        const written = [...secret].map((character, index) => ESCAPES[chosen[index]!]!(character)).join("");
        expect(clearCredentials(`<${written}>`, [secret])).toBe("<…>");
      }),
    );
  });
});

test("everything else stays as it is", () => {
  fc.assert(
    fc.property(fc.string(), secrets, (text, secret) => {
      fc.pre(!text.includes(secret));
      expect(clearCredentials(text, [secret])).toBe(text);
    }),
  );
  const text = "50% of &amp; \\u0041 %41 &#x110000; &#9999999; &bogus;";
  expect(clearCredentials(text, ["something else"])).toBe(text);
  expect(clearCredentials(text, [])).toBe(text);
});

test("several credentials, one beside the other and one in the other, leave one gap each", () => {
  expect(clearCredentials("one-two and one-two-three", ["one-two-three", "one-two"])).toBe("… and …");
  expect(clearCredentials("firstsecond", ["first", "second"])).toBe("…");
  expect(clearCredentials("second first second", ["first", "second"])).toBe("… … …");
  expect(clearCredentials("aaaaaaaaa!", ["aaaa"])).toBe("…a!");
});

test("a character beyond the first plane is cut at its edges", () => {
  expect(clearCredentials("&#128512;token-1&#128512;", ["token-1"])).toBe("&#128512;…&#128512;");
  expect(clearCredentials("a&#128512;bc", ["😀bc"])).toBe("a…");
  expect(clearCredentials("x%F0%9F%98%80y z", ["😀y z"])).toBe("x…");
});

test("texts of three characters and less are parts of ordinary words", () => {
  expect(clearCredentials("the key is abc and abcd", ["abc"])).toBe("the key is abc and abcd");
  expect(clearCredentials("the key is abc and abcd", ["abcd"])).toBe("the key is abc and …");
  // Five characters are not looked for as digits, six are.
  const digits = (text: string): string => Buffer.from(text).toString("hex");
  expect(clearCredentials(digits("abcde"), ["abcde"])).toBe(digits("abcde"));
  expect(clearCredentials(digits("abcdef"), ["abcdef"])).toBe("…");
});

test("white space that was folded, and blanks that became plus signs, hide nothing", () => {
  expect(clearCredentials("pass phrase x", ["pass  phrase\tx"])).toBe("…");
  expect(clearCredentials("pass+phrase", ["pass phrase"])).toBe("…");
});

test("the work grows with the text and not faster", () => {
  const secret = "s3cret-token-0123456789";
  const text = `%41&amp;\\u0041${"a".repeat(20)}`.repeat(20_000) + secret;
  expect(clearCredentials(text, [secret]).endsWith("…")).toBe(true);
});
