import { expect, test } from "vitest";
import { parseReferences, type TextPart } from "../../src/config/references.ts";
import { explainShortSecret } from "../../src/config/short-secrets.ts";

const sources = { env: { SHORT: "1234567", LONG: "12345678", BLANK: "1234567 " }, folder: "." };
const explain = (text: string): string | undefined =>
  explainShortSecret(parseReferences(text) as readonly TextPart[], sources);

test("a credential of fewer than eight characters is warned of, because it cannot be found in texts", () => {
  const warning = "This credential has fewer than 8 characters, so it stays where an API repeats it. Use a longer one.";
  expect(explain("${env:SHORT}")).toBe(warning);
  expect(explain("${env:BLANK}")).toBe(warning);
  expect(explain("hunter2")).toBe(warning);
  expect(explain("${env:LONG}")).toBeUndefined();
  expect(explain("x${env:SHORT}")).toBeUndefined();
  expect(explain("${env:ABSENT}")).toBeUndefined();
  expect(explain("${secret:x}")).toBeUndefined();
  expect(explain("")).toBeUndefined();
});
