import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkCatalog } from "../../src/server-card/check-catalog.ts";
import { SERVER_CARD_TYPE } from "../../src/server-card/server-card.ts";

const BY_URL = {
  identifier: "urn:air:example.com:mcp:weather",
  type: SERVER_CARD_TYPE,
  url: "https://example.com/mcp/server-card",
};
const INLINE = { identifier: "urn:air:example.com:mcp:maps", type: SERVER_CARD_TYPE, data: { anything: 1 } };

function catalogOf(...entries: unknown[]): object {
  return { specVersion: "1.0", entries };
}

describe("a catalog", () => {
  test("lists cards by their URL, or has them inline", () => {
    expect(checkCatalog(catalogOf(BY_URL, INLINE))).toEqual({ entries: [BY_URL, INLINE], ignored: [] });
  });

  test("may be empty", () => {
    expect(checkCatalog(catalogOf())).toEqual({ entries: [], ignored: [] });
  });

  test("may list other things, which are not looked into", () => {
    const others = [{ type: "application/a2a-agent-card+json" }, { type: 1 }, {}];
    expect(checkCatalog(catalogOf(...others, BY_URL))).toEqual({ entries: [BY_URL], ignored: [] });
  });

  test("may call the type of an entry `mediaType`, as earlier drafts do", () => {
    const { type: mediaType, ...entry } = BY_URL;
    expect(checkCatalog(catalogOf({ ...entry, mediaType }))).toEqual({ entries: [BY_URL], ignored: [] });
  });

  test("of a later minor version is read, and members that are not known are ignored", () => {
    const later = { ...catalogOf({ ...BY_URL, more: 1 }), specVersion: "1.7", more: 1 };
    expect(checkCatalog(later)).toEqual({ entries: [BY_URL], ignored: [] });
  });

  test.each([
    ["both `url` and `data`", { ...BY_URL, data: {} }, "must have either `url` or `data`"],
    ["neither", { identifier: "x", type: SERVER_CARD_TYPE }, "must have either `url` or `data`"],
    ["no identifier", { ...BY_URL, identifier: undefined }, "`entries[0].identifier` is missing."],
    ["a URL that is none", { ...BY_URL, url: "server-card" }, "`entries[0].url` must be a URL"],
    ["a script as its URL", { ...BY_URL, url: "javascript:alert(1)" }, "`entries[0].url` must be a URL"],
  ])("leaves out an entry with %s, and says so", (_, entry, problem) => {
    const { entries, ignored } = checkCatalog(catalogOf(entry, INLINE)) as { entries: unknown; ignored: string[] };
    expect(entries).toEqual([INLINE]);
    expect(ignored.join()).toContain(problem);
  });

  test.each([
    [[], "no JSON object"],
    ["text", "no JSON object"],
    [{ entries: [] }, "`specVersion` is missing."],
    [{ specVersion: "1.0" }, "`entries` is missing."],
    [{ specVersion: "1.0", entries: {} }, "`entries` must be a list"],
    [{ specVersion: "1.0", entries: ["x"] }, "`entries[0]` must be an object"],
    [{ specVersion: "2.0", entries: [] }, "`specVersion` must be 1.0"],
    [{ specVersion: "one", entries: [] }, "`specVersion` must be 1.0"],
  ])("cannot be %j", (document, problem) => {
    expect(checkCatalog(document).problems?.join()).toContain(problem);
  });

  test("never makes the check fail, whatever it is", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (entries) => {
        expect(checkCatalog(catalogOf(...entries))).toBeTypeOf("object");
      }),
    );
  });
});
