import { expect, test } from "vitest";
import { Redactor } from "../../src/secrets/redactor.ts";

test("secrets-appear-nowhere: every secret that was added is taken out of texts and values, until it is taken back", () => {
  const redactor = new Redactor();
  const release = redactor.add("canary-one-of-two");
  redactor.add("canary-two-of-two");
  expect(redactor.redact("canary-one-of-two, canary-two-of-two")).toBe("[secret], [secret]");
  expect(redactor.redactValue({ "canary-one-of-two": ["canary-two-of-two"] })).toEqual({ "[secret]": ["[secret]"] });
  release();
  expect(redactor.redact("canary-one-of-two, canary-two-of-two")).toBe("canary-one-of-two, [secret]");
});

test("secrets-appear-nowhere: API keys of the gateway are told by their form", () => {
  const redactor = new Redactor();
  const key = `twk_${"aB3-_".repeat(9).slice(0, 43)}`;
  expect(redactor.redact(`He sent ${key}.`)).toBe("He sent [secret].");
  expect(redactor.redact(`He sent ${key.slice(0, -1)}.`)).toBe(`He sent ${key.slice(0, -1)}.`);
  // The reply to a request for a key has to show it.
  expect(redactor.redactValue({ secret: key })).toEqual({ secret: key });
});

test("secrets-appear-nowhere: tokens are looked for until ten thousand others have come", () => {
  const redactor = new Redactor();
  redactor.add("token-0-for-good");
  for (let index = 0; index < 10_000; index += 1) redactor.note(`token-${index}-for-good`);
  redactor.note("token-0-for-good");
  redactor.note("token-10000-for-good");
  expect(redactor.redact("token-1-for-good token-2-for-good")).toBe("token-1-for-good [secret]");
  redactor.note("token-10001-for-good");
  expect(redactor.redact("token-0-for-good token-2-for-good token-3-for-good")).toBe(
    "[secret] token-2-for-good [secret]",
  );
});

test("secrets-appear-nowhere: a beginning of a secret is no secret, at the end of a text as little as in it", () => {
  const redactor = new Redactor();
  redactor.add("sk_live_4eC39HqLyjWDarjtT1zdp7dc");
  expect(redactor.redact("Error: the key sk_live_4eC39H")).toBe("Error: the key sk_live_4eC39H");
  expect(redactor.redact("Error: the key sk_live_4eC39H…")).toBe("Error: the key sk_live_4eC39H…");
});
