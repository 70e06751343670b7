import { describe, expect, it } from "vitest";
import { isContentSource, isViewUri, readToolViewMeta, readViewMeta } from "@toolwire/protocol/views";

describe("an origin in a content policy", () => {
  it.each([
    "https://api.example.com",
    "https://*.example.com",
    "wss://live.example.com:8443",
    "http://localhost:5173",
    "ws://127.0.0.1:80",
    "http://[::1]:3000",
  ])("may be %s", (source) => {
    expect(isContentSource(source)).toBe(true);
  });

  it.each([
    "*",
    "https:",
    "https://*",
    "https://com",
    "data:",
    "blob:",
    "'unsafe-eval'",
    "'self'",
    "http://example.com",
    "https://a.example; script-src *",
    "https://a.example https://b.example",
    "https://a.example\n",
    "https://a.example,b",
    "https://user@a.example",
    "https://a.example/path",
    "javascript://a.example",
    "",
    `https://${"a.".repeat(200)}example`,
    7,
    null,
    ["https://a.example"],
  ])("cannot be %s", (source) => {
    expect(isContentSource(source)).toBe(false);
  });
});

describe("the _meta of a view", () => {
  it("is read, and says which origins were left out", () => {
    const { meta, refused } = readViewMeta({
      ui: {
        csp: { connectDomains: ["https://api.example.com", "*"], frameDomains: ["'unsafe-inline'"], other: ["x"] },
        permissions: { camera: {}, usb: {}, microphone: true },
        domain: "views.example.com",
        prefersBorder: false,
      },
    });
    expect(meta).toEqual({
      csp: { connectDomains: ["https://api.example.com"], frameDomains: [] },
      permissions: { camera: {} },
      domain: "views.example.com",
      prefersBorder: false,
    });
    expect(refused).toEqual(['"*"', "\"'unsafe-inline'\""]);
  });

  it.each([undefined, null, 7, "ui", [], { ui: null }, { ui: [] }, { ui: { csp: [], permissions: 1, domain: {} } }])(
    "is empty if it is malformed: %j",
    (meta) => {
      expect(readViewMeta(meta)).toEqual({ meta: {}, refused: [] });
    },
  );

  it("takes nothing from prototypes", () => {
    const inherited = Object.create({ ui: { prefersBorder: true } }) as object;
    expect(readViewMeta(inherited).meta).toEqual({});
    expect(readViewMeta(JSON.parse('{"__proto__":{"ui":{"prefersBorder":true}}}')).meta).toEqual({});
  });

  it("keeps a bounded number of origins", () => {
    const connectDomains = Array.from({ length: 1000 }, (_, index) => `https://a${index}.example.com`);
    expect(readViewMeta({ ui: { csp: { connectDomains } } }).meta.csp?.connectDomains).toHaveLength(50);
  });
});

describe("the _meta of a tool", () => {
  it("names the view, and is visible to both if it does not say", () => {
    expect(readToolViewMeta({ ui: { resourceUri: "ui://a/b" } })).toEqual({
      resourceUri: "ui://a/b",
      visibility: ["model", "app"],
    });
  });

  it("may name the view by the flat key, which the nested one precedes", () => {
    expect(readToolViewMeta({ "ui/resourceUri": "ui://old" }).resourceUri).toBe("ui://old");
    expect(readToolViewMeta({ "ui/resourceUri": "ui://old", ui: { resourceUri: "ui://new" } }).resourceUri).toBe(
      "ui://new",
    );
  });

  it.each([["app"], ["model"], [], ["app", "other"]])("may restrict who sees the tool: %j", (...visibility) => {
    const known = visibility.filter((each) => each !== "other");
    expect(readToolViewMeta({ ui: { visibility } }).visibility).toEqual(known);
  });

  it.each(["app", {}, null, 1])("hides the tool from everybody if its visibility is malformed: %j", (visibility) => {
    expect(readToolViewMeta({ ui: { visibility } }).visibility).toEqual([]);
  });

  it.each(["https://a.example", "ui://", "", 7, null, `ui://${"a".repeat(3000)}`])(
    "names no view if the URI is none of a view: %s",
    (resourceUri) => {
      expect(isViewUri(resourceUri)).toBe(false);
      expect(readToolViewMeta({ ui: { resourceUri } }).resourceUri).toBeUndefined();
    },
  );
});
