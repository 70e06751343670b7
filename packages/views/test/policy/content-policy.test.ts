import { isContentSource } from "@toolwire/protocol/views";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { contentPolicy } from "../../src/policy/content-policy.ts";
import { allowAttribute } from "../../src/policy/permissions.ts";

const NOTHING = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "media-src data:",
  "font-src 'none'",
  "connect-src 'none'",
  "frame-src 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
];

const policy = (csp: unknown): string[] => contentPolicy(csp as never, isContentSource).split("; ");

describe("the content policy of a view", () => {
  it("MUST be restrictive if nothing is declared", () => {
    expect(policy(undefined)).toEqual(NOTHING);
    expect(policy({})).toEqual(NOTHING);
  });

  it("MUST allow the origins that are declared, each where the extension says", () => {
    const declared = policy({
      connectDomains: ["https://api.example.com", "wss://live.example.com"],
      resourceDomains: ["https://*.example.com"],
      frameDomains: ["https://frame.example.com"],
      baseUriDomains: ["https://base.example.com"],
    });
    expect(declared).toEqual([
      "default-src 'none'",
      "script-src 'unsafe-inline' https://*.example.com",
      "style-src 'unsafe-inline' https://*.example.com",
      "img-src data: https://*.example.com",
      "media-src data: https://*.example.com",
      "font-src https://*.example.com",
      "connect-src https://api.example.com wss://live.example.com",
      "frame-src https://frame.example.com",
      "object-src 'none'",
      "base-uri https://base.example.com",
      "form-action 'none'",
    ]);
  });

  it("MUST NOT allow origins that are not declared, whatever text is declared instead", () => {
    const text = fc.oneof(fc.string(), fc.constantFrom("*", "'self'; script-src *", "https:", "'unsafe-eval'", "\nx"));
    fc.assert(
      fc.property(fc.array(text), (list) => {
        fc.pre(!list.some(isContentSource));
        const given = { connectDomains: list, resourceDomains: list, frameDomains: list, baseUriDomains: list };
        expect(policy(given)).toEqual(NOTHING);
      }),
    );
  });

  it.each([{ connectDomains: "https://a.example.com" }, { frameDomains: { 0: "https://a.example.com" } }])(
    "is as if nothing was declared for %j",
    (csp) => {
      expect(policy(csp)).toEqual(NOTHING);
    },
  );
});

test("a frame is allowed exactly the permissions that it has", () => {
  expect(allowAttribute()).toBe("");
  expect(allowAttribute({ camera: {}, clipboardWrite: {} })).toBe("camera *; clipboard-write *");
});
