import { describe, expect, it } from "vitest";
import { describeIssues, type SchemaIssue } from "../../src/index.ts";
import { writePath } from "../../src/issues/issue.ts";

describe("describeIssues", () => {
  it("gives each issue a line, with its path if it has one", () => {
    const issues: SchemaIssue[] = [
      { path: "city", kind: "required", message: "missing required field (string)" },
      { path: "", kind: "property-count", message: "expected at most 2 properties, got 3" },
    ];
    expect(describeIssues(issues)).toBe(
      "- city: missing required field (string)\n- expected at most 2 properties, got 3",
    );
  });

  it("lists ten and counts the rest", () => {
    const issues = Array.from({ length: 13 }, (_, n): SchemaIssue => ({
      path: `p${n}`,
      kind: "type",
      message: "wrong",
    }));
    const lines = describeIssues(issues).split("\n");
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe("- and 3 more");
  });

  it("cuts lines that are too long", () => {
    const text = describeIssues([{ path: "a", kind: "other", message: "x".repeat(10_000) }]);
    expect(text.length).toBeLessThan(350);
    expect(text.endsWith("…")).toBe(true);
  });
});

describe("writePath", () => {
  it.each([
    [[], ""],
    [["city"], "city"],
    [["items", 2, "name"], "items[2].name"],
    [[0, "größe"], "[0].größe"],
    [["headers", "content-type"], 'headers["content-type"]'],
    [["a", "b.c", ""], 'a["b.c"][""]'],
    [["2"], '["2"]'],
    [[Symbol.for("s")], '["Symbol(s)"]'],
  ])("writes %o as %s", (keys, path) => {
    expect(writePath(keys)).toBe(path);
  });

  it("shortens what is too long to read", () => {
    expect(writePath(["k".repeat(1_000_000)]).length).toBeLessThan(100);
  });
});
