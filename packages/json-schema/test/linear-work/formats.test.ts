import { describe, expect, it } from "vitest";
import { makeHostileTexts } from "../../../../test/hostile-texts.ts";
import { findFirstExcess } from "../../../../test/linear-growth.ts";
import { FORMATS } from "../../src/formats/formats.ts";

/** Texts that fit each format, in whose every place something is repeated. A format without any fails the first test. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  date: ["2026-07-28"],
  "date-time": ["2026-07-28T09:30:00.5Z"],
  time: ["09:30:00.5+01:00"],
  duration: ["P1Y2M3DT4H5M6S", "P1W"],
  email: ["a.b@c.example", '"a"@[IPv6:::1]'],
  "idn-email": ["ä@ö.example"],
  hostname: ["a.xn--bcher-kva"],
  "idn-hostname": ["ä。xn--bcher-kva"],
  ipv4: ["192.0.2.1"],
  ipv6: ["1::2:192.0.2.1"],
  uri: ["a://u@[::1]:80/b?c#d"],
  "uri-reference": ["//u@h:80/b?c#d"],
  iri: ["a://ä@h:80/b?c#d"],
  "iri-reference": ["//[v1.a]/ä?c#d"],
  "uri-template": ["a{+b,c*}{?d:2}%41"],
  uuid: ["123e4567-e89b-42d3-a456-426614174000"],
  "json-pointer": ["/a~0b/c"],
  "relative-json-pointer": ["1/a~0b", "0#"],
  regex: ["\\p{L}"],
};

describe("the time that a format takes for a text", () => {
  it("is measured below for every format there is", () => {
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(FORMATS.map(({ name }) => name).toSorted());
  });

  it.each(FORMATS.map(({ name, test }) => [name, test] as const))(
    "is in proportion to the length of the text for %s",
    (name, test) => {
      const examples = EXAMPLES[name] ?? [];
      expect(examples.filter((example) => !test(example))).toEqual([]);
      expect(findFirstExcess(makeHostileTexts(...examples), test)).toBeUndefined();
    },
    120_000,
  );
});
