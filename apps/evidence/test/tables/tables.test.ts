import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { markdownTable } from "../../src/tables/markdown-table.ts";
import { publishTable } from "../../src/tables/publish-table.ts";

test("markdownTable() aligns columns by what people see", () => {
  expect(markdownTable(["a", "result"], [["✓ one", "1"], ["b"]])).toBe(
    ["| a     | result |", "| ----- | ------ |", "| ✓ one | 1      |", "| b     |        |"].join("\n"),
  );
});

describe("publishing", () => {
  let directory: string;
  let file: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "toolwire-"));
    file = join(directory, "README.md");
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test("replaces what is between the marks, and nothing else", () => {
    writeFileSync(file, "before\n\n<!-- x:begin -->\nold\n<!-- x:end -->\n\nafter\n");

    expect(publishTable({ file, name: "x", text: "new" }, false)).toEqual([]);
    expect(readFileSync(file, "utf8")).toBe("before\n\n<!-- x:begin -->\n\nnew\n\n<!-- x:end -->\n\nafter\n");
  });

  test("is fine with another date when it only checks, and with nothing else", () => {
    writeFileSync(file, "<!-- x:begin -->\n\n1 of 1\n\nRun on 2000-01-01.\n\n<!-- x:end -->\n");

    expect(publishTable({ file, name: "x", text: "1 of 1\n\nRun on 2001-01-01." }, true)).toEqual([]);
    expect(publishTable({ file, name: "x", text: "0 of 1\n\nRun on 2001-01-01." }, true)).toEqual([
      `${file} is out of date.`,
    ]);
    expect(readFileSync(file, "utf8")).toContain("1 of 1\n\nRun on 2000-01-01.");
  });

  test("says when there is no place for it", () => {
    writeFileSync(file, "nothing here\n");

    expect(publishTable({ file, name: "x", text: "new" }, false)).toEqual([
      expect.stringContaining("<!-- x:begin -->"),
    ]);
  });
});
