import { describe, expect, test } from "vitest";
import { eraOf, isRevision, LATEST_LEGACY_REVISION, LATEST_REVISION, REVISIONS } from "../../src/revisions/revision.ts";

describe("revisions", () => {
  test("are listed newest first", () => {
    expect(REVISIONS).toEqual([...REVISIONS].toSorted().toReversed());
    expect(REVISIONS[0]).toBe(LATEST_REVISION);
    expect(REVISIONS.find((revision) => eraOf(revision) === "legacy")).toBe(LATEST_LEGACY_REVISION);
  });

  test.each(REVISIONS)("%s is one", (revision) => {
    expect(isRevision(revision)).toBe(true);
    expect(eraOf(revision)).toBe(revision === "2026-07-28" ? "modern" : "legacy");
  });

  test.each(["2026-07-29", "draft", "", "__proto__", undefined, null, 20260728, ["2026-07-28"]])(
    "%j is no revision",
    (value) => {
      expect(isRevision(value)).toBe(false);
    },
  );
});
