import { describe, expect, it, vi } from "vitest";
import { FORMATS } from "../../src/formats/formats.ts";
import { createJsonSchemaValidator, untrustedSchemaValidator } from "../../src/index.ts";

const { compile } = createJsonSchemaValidator();

const EXAMPLES: Record<string, { good: string[]; bad: string[] }> = {
  date: {
    good: ["2026-07-28", "2024-02-29", "2000-02-29", "0001-01-01"],
    bad: [
      "2026-02-29",
      "1900-02-29",
      "2026-13-01",
      "2026-00-10",
      "2026-04-31",
      "2026-7-28",
      "28.07.2026",
      "",
      "২০২৬-০৭-২৮",
    ],
  },
  "date-time": {
    good: [
      "2026-07-28T09:30:00Z",
      "2026-07-28t09:30:00.123z",
      "2026-07-28T09:30:00+05:30",
      "1998-12-31T23:59:60Z",
      "1998-12-31T15:59:60.5-08:00",
    ],
    bad: [
      "2026-07-28 09:30:00Z",
      "2026-07-28T09:30:00",
      "2026-07-28T24:00:00Z",
      "1998-12-31T23:58:60Z",
      "2026-07-28T09:30Z",
      "2026-07-28T09:30:00+24:00",
    ],
  },
  time: {
    good: ["09:30:00Z", "23:59:60Z", "22:59:60-01:00", "00:59:60+01:00"],
    bad: ["09:30:00", "9:30:00Z", "23:59:61Z", "22:59:60Z", "09:60:00Z"],
  },
  duration: {
    good: ["P3D", "PT1H30M", "P1Y2M3DT4H5M6S", "P4W"],
    bad: ["P", "PT", "P1", "1D", "P1D2H", "P1W2D", "P-1D"],
  },
  email: {
    good: [
      "name@example.org",
      "a.b+c@sub.example.org",
      '"odd name"@example.org',
      "x@[192.0.2.1]",
      "x@[IPv6:2001:db8::1]",
    ],
    bad: [
      "name",
      "@example.org",
      "name@",
      "a..b@example.org",
      ".a@example.org",
      "a b@example.org",
      "a@-example.org",
      `${"a".repeat(65)}@example.org`,
    ],
  },
  "idn-email": {
    good: ["실례@실례.테스트", "name@example.org"],
    bad: ["실례", "@실례", "a b@example.org", ".ä@example.org", "ä..b@example.org", "ä@b@example.org"],
  },
  hostname: {
    good: ["example.org", "a", "xn--bcher-kva.example", "1.example"],
    bad: ["", "-a.example", "a-.example", "a..b", "a_b", `${"a".repeat(64)}.example`, "ä.example"],
  },
  "idn-hostname": { good: ["bücher.example", "例え。テスト"], bad: ["", "-ä.example", "a b"] },
  ipv4: {
    good: ["192.0.2.1", "0.0.0.0", "255.255.255.255"],
    bad: ["256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4 "],
  },
  ipv6: {
    good: [
      "::",
      "::1",
      "2001:db8::1",
      "1:2:3:4:5:6:7:8",
      "::ffff:192.0.2.1",
      "1::8",
      "1:2:3:4:5:6:192.0.2.1",
      "1:2:3:4:5:6:7::",
    ],
    bad: [
      "",
      ":",
      ":::",
      "1::2::3",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "1:2:3:4:5:6:7:8::",
      "12345::",
      "::g",
      "fe80::1%eth0",
      "::1.2.3.256",
      "1.2.3.4::",
    ],
  },
  uri: {
    good: [
      "https://example.org/a?b=c#d",
      "urn:isbn:1",
      "mailto:a@example.org",
      "http://[2001:db8::1]:80/",
      "http://u:p@example.org:8080",
      "a:",
      "http://[v1.x:y]/",
    ],
    bad: [
      "",
      "/a",
      "example.org",
      "http:// a",
      "http://a b",
      "http://example.org/%zz",
      "1http://a",
      "http://[::g]/",
      "http://a/{b}",
      "http://a/ä",
      "http://a:b/",
    ],
  },
  "uri-reference": {
    good: ["", "/a", "../a?b#c", "#x", "//example.org", "a/b:c"],
    bad: ["a b", "\\a", "1a:b", "http://[/", "http://[a]b@c", "%"],
  },
  iri: { good: ["https://example.org/ä", "http://例え.example/ü?ö#é"], bad: ["/ä", "http://a b"] },
  "iri-reference": { good: ["/ä", "#ü"], bad: ["ä b", "<ä>"] },
  "uri-template": {
    good: ["/pages/{id}", "{+path*}{?q,lang:2}", "it's", "{a.b}", ""],
    bad: ["/pages/{id", "id}", "{}", "{a,}", "a b", "{a:0}", "{.}", "{..a}"],
  },
  uuid: {
    good: ["123e4567-e89b-42d3-a456-426614174000", "123E4567-E89B-42D3-A456-426614174000"],
    bad: [
      "123e4567e89b42d3a456426614174000",
      "{123e4567-e89b-42d3-a456-426614174000}",
      "123e4567-e89b-42d3-a456-42661417400g",
    ],
  },
  "json-pointer": { good: ["", "/a/0", "/a~0b~1c", "/"], bad: ["a", "/~", "/~2", "#/a"] },
  "relative-json-pointer": { good: ["0", "1/a", "2#", "0/"], bad: ["", "-1", "01", "1a", "/a"] },
  regex: {
    good: ["^[a-z]+$", "(?<=a)b", "\\p{L}", "[^\\p{L}\\P{Script=Latin}]{2}", "\\\\p"],
    bad: ["(", "[", "*", "\\Z", "\\p", "\\p{l}", "\\p{L}\\p{Klingon}", "[\\p{L}-z]", "\\\\p{L}"],
  },
};

describe("formats", () => {
  it("all have examples here", () => {
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(FORMATS.map(({ name }) => name).toSorted());
  });

  it.each(Object.entries(EXAMPLES))("%s", (format, { good, bad }) => {
    const validate = compile({ format });
    expect(good.filter((text) => !validate(text).ok)).toEqual([]);
    expect(bad.filter((text) => validate(text).ok)).toEqual([]);
    expect(validate(42).ok).toBe(true);
  });

  it("can be read in one way only, so that what breaks them at the end is found at once", () => {
    expect(compile({ format: "uri" })(`x://${"[".repeat(200_000)}@h`).ok).toBe(false);
    expect(compile({ format: "uri-template" })(`${"{.a}".repeat(27)}"`).ok).toBe(false);
  });

  it("read a class of Unicode once, however often a regular expression names it", () => {
    const sources: string[] = [];
    class WatchedRegExp extends RegExp {
      constructor(source: string, flags: string) {
        super(source, flags);
        sources.push(source);
      }
    }
    vi.stubGlobal("RegExp", WatchedRegExp);
    const isValid = compile({ format: "regex" })("\\p{Script=Greek}".repeat(1_000)).ok;
    vi.unstubAllGlobals();
    expect(isValid).toBe(true);
    expect(sources.join(" ").match(/Greek/g)).toHaveLength(1);
  });

  it.each([
    ["uri", "data:,"],
    ["iri", "data:,ä"],
    ["uri-template", "{a}"],
    ["json-pointer", "/"],
    ["relative-json-pointer", "1/"],
  ])("take texts so long that the platform's engine has no memory to go back by: %s", (format, start) => {
    const text = start + "a".repeat(20_000_000);
    const validate = createJsonSchemaValidator({ limits: { maxSteps: Infinity } }).compile({ format });
    expect([text, `${text}%~`].map((each) => validate(each).ok)).toEqual([true, false]);
  });

  const MAIL = { type: "string", format: "email" };

  it.each([
    ["2020-12", MAIL],
    ["2020-12, by name", { $schema: "https://json-schema.org/draft/2020-12/schema", ...MAIL }],
    ["2019-09", { $schema: "https://json-schema.org/draft/2019-09/schema", ...MAIL }],
  ])("are no more than annotations in the schemas of others, as their dialect says: %s", (_, schema) => {
    expect(untrustedSchemaValidator.compile(schema)("nobody").ok).toBe(true);
    expect(createJsonSchemaValidator({ untrusted: true }).compile(schema)("nobody").ok).toBe(true);
    expect(compile(schema)("nobody").ok).toBe(false);
  });

  it("are asserted in the schemas of others where their dialect says so: draft-07", () => {
    const schema = { $schema: "http://json-schema.org/draft-07/schema#", ...MAIL };
    expect(untrustedSchemaValidator.compile(schema)("nobody").ok).toBe(false);
  });

  it("are asserted, or not, if that is asked for", () => {
    const strict = createJsonSchemaValidator({ untrusted: true, assertFormats: true });
    expect(strict.compile(MAIL)("nobody").ok).toBe(false);
    const lenient = createJsonSchemaValidator({ assertFormats: false });
    expect(lenient.compile(MAIL)("nobody").ok).toBe(true);
    expect(lenient.compile({ $schema: "http://json-schema.org/draft-07/schema#", ...MAIL })("nobody").ok).toBe(true);
  });

  it("give an example that fits, where messages name one", () => {
    const misfits = FORMATS.filter(({ description, test }) => {
      const [, example] = / such as (.+)$/.exec(description) ?? [];
      return example !== undefined && !test(example);
    });
    expect(misfits).toEqual([]);
  });
});
