import fc from "fast-check";
import { expect, test } from "vitest";
import { isSecretName, redactFields as redact } from "../../src/secrets/secret-fields.ts";

test("Values of fields that hold secrets by their names are redacted, whatever kind they are of", () => {
  expect(redact('{"user":"ada","password":"hunter2","n":1}')).toBe('{"user":"ada","password":"[secret]","n":1}');
  expect(redact('{"apiKey": 12345, "x": 1}')).toBe('{"apiKey": "[secret]", "x": 1}');
  expect(redact('{"secrets":{"a":["}",{"b":"\\"]"}]},"x":true}')).toBe('{"secrets":"[secret]","x":true}');
  expect(redact('[{"access_token":"a"},{"access_token":null}]')).toBe(
    '[{"access_token":"[secret]"},{"access_token":"[secret]"}]',
  );
  expect(redact("grant_type=x&client_secret=abc%20d&user=ada")).toBe("grant_type=x&client_secret=[secret]&user=ada");
  expect(redact("GET https://api.example.com/v1?api_key=abc&q=1")).toBe(
    "GET https://api.example.com/v1?api_key=[secret]&q=1",
  );
});

test("JSON inside of strings is redacted as well, and deep inside it is redacted as a whole", () => {
  const inner = JSON.stringify({ token: "t0p", city: "Berlin" });
  expect(redact(JSON.stringify({ text: inner }))).toBe(
    JSON.stringify({ text: JSON.stringify({ token: "[secret]", city: "Berlin" }) }),
  );
  let deep = JSON.stringify({ token: "t0p" });
  for (let level = 0; level < 6; level += 1) deep = JSON.stringify([deep]);
  expect(redact(deep)).not.toContain("t0p");
});

test("A quotation mark in the text around JSON hides no field of it", () => {
  const json = JSON.stringify({ city: "Berlin", password: "hunter2", pin: 1234 });
  const redacted = JSON.stringify({ city: "Berlin", password: "[secret]", pin: "[secret]" });
  for (const before of ['A 5" pipe\n', 'A 5" pipe: ', '"', 'He said "no", and "', 'a\\"']) {
    expect(redact(`${before}${json}`)).toBe(`${before}${redacted}`);
    expect(redact(`${before}${json}${before}${json}`)).toBe(`${before}${redacted}${before}${redacted}`);
  }
});

test("A body that is cut off anywhere shows nothing of a secret", () => {
  const body = JSON.stringify({ a: 1, password: "hunter2hunter2", text: JSON.stringify({ token: "hunter2" }), b: "x" });
  for (let end = 0; end <= body.length; end += 1) expect(redact(body.slice(0, end))).not.toContain("hunt");
});

test("A body without secrets comes back as it is", () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      fc.pre(!/pass|pwd|secret|token|cred|auth|cook|sess|sign|key|pin|otp|jwt|cv|\\/i.test(json));
      expect(redact(json)).toBe(json);
    }),
  );
  expect(isSecretName("X-Api-Key")).toBe(true);
  expect(isSecretName("keyboard")).toBe(false);
  expect(isSecretName("monkeys_are_fun")).toBe(false);
});

test("Redaction of hostile bodies takes time in proportion to their length", () => {
  for (const part of ['"password":', '"a":"\\', '{"key":[', '"\\"', "a=", '"token":{', "[\\n"]) {
    // Work that grows with the square of the length would take longer than any test may.
    expect(redact(part.repeat(1_000_000 / part.length))).not.toBe("");
  }
});
