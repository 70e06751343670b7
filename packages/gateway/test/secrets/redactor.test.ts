import fc from "fast-check";
import { expect, test } from "vitest";
import { Redactor } from "../../src/secrets/redactor.ts";

const secretText = fc
  .string({ minLength: 8, maxLength: 60, unit: "binary" })
  .filter((text) => !text.includes("[secret]"));

function redactorOf(...values: string[]): Redactor {
  const redactor = new Redactor();
  for (const value of values) redactor.add(value);
  return redactor;
}

test("secrets-appear-nowhere: a secret is found in a text as it is, in base64, in a URL, in a form and in JSON", () => {
  fc.assert(
    fc.property(
      fc.array(secretText, { minLength: 1, maxLength: 5 }),
      fc.string(),
      fc.string(),
      (secrets, before, after) => {
        const redactor = redactorOf(...secrets);
        for (const secret of secrets) {
          const forms = [
            secret,
            encodeURIComponent(secret),
            new URLSearchParams([["key", secret]]).toString().slice(4),
            JSON.stringify(secret).slice(1, -1),
            Buffer.from(secret).toString("base64").replaceAll("=", ""),
            Buffer.from(secret).toString("base64url"),
          ];
          for (const form of forms) expect(redactor.redact(`${before}${form}${after}`)).not.toContain(form);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test("secrets-appear-nowhere: a password is found in Basic credentials behind a name of any length", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), secretText, (name, password) => {
      const credentials = Buffer.from(`${name}:${password}`).toString("base64");
      const redacted = redactorOf(password).redact(`authorization: Basic ${credentials}`);
      // What is left of the password are at most the bits in a character that it shares with its neighbours.
      const rest = redacted.replace(/^.*?Basic /, "").split("[secret]");
      expect(rest.length).toBeGreaterThan(1);
      expect(Buffer.from(rest[0] ?? "", "base64").toString().length).toBeLessThanOrEqual(name.length + 2);
      expect((rest[1] ?? "").replaceAll("=", "").length).toBeLessThanOrEqual(2);
    }),
  );
});

test("secrets-appear-nowhere: a secret that is cut off at the end of a text is not shown either", () => {
  const redactor = redactorOf("sk_live_4eC39HqLyjWDarjtT1zdp7dc");
  expect(redactor.redact("Error: the key sk_live_4eC39H")).toBe("Error: the key [secret]");
  expect(redactor.redact("Error: the key sk_live_4eC39H…")).toBe("Error: the key [secret]…");
  expect(redactor.redact("Error: the key sk_li")).toBe("Error: the key sk_li");
});

test("Texts without a secret come back as they are, and overlapping secrets leave nothing", () => {
  const redactor = redactorOf("abcdefgh12345678", "12345678abcdefgh", "short");
  expect(redactor.redact("nothing here, not even short")).toBe("nothing here, not even short");
  expect(redactor.redact("abcdefgh12345678abcdefgh")).toBe("[secret]");
  expect(redactor.redact("abcdefgh12345678 12345678abcdefgh")).toBe("[secret] [secret]");
  expect(new Redactor().redact("abcdefgh12345678")).toBe("abcdefgh12345678");
});

test("A secret is looked for until the last one who has added it takes it back", () => {
  const redactor = new Redactor();
  const endOne = redactor.add("the-same-value");
  const endOther = redactor.add("the-same-value");
  endOne();
  endOne();
  expect(redactor.redact("the-same-value")).toBe("[secret]");
  endOther();
  expect(redactor.redact("the-same-value")).toBe("the-same-value");
});

test("The search takes as many steps as the text is long, for texts and secrets that repeat themselves", () => {
  const redactor = redactorOf("a".repeat(16_384), `${"ab".repeat(4000)}c`);
  // A search that begins anew at each character would take longer than any test may.
  const text = `${"a".repeat(16_383)}b`.repeat(100);
  expect(redactor.redact(text)).toBe(text);
});
