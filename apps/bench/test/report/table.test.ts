import { describe, expect, test } from "vitest";
import { formatCount, formatMemory, formatRatio, formatSize, formatVerdict } from "../../src/report/format.ts";
import { renderMarkdown, renderText } from "../../src/report/table.ts";

const table = {
  header: ["scenario", "x raw"],
  rows: [
    ["echo", "0.82"],
    ["a | b", "4.1"],
  ],
};

describe("tables", () => {
  test("on a terminal, figures are aligned to the right", () => {
    expect(renderText(table).split("\n")).toEqual([
      "scenario  x raw",
      "--------  -----",
      "echo       0.82",
      "a | b       4.1",
    ]);
  });

  test("in Markdown, figures are aligned too, and bars in cells are escaped", () => {
    expect(renderMarkdown(table).split("\n")).toEqual([
      "| scenario | x raw |",
      "| -------- | ----: |",
      "| echo     |  0.82 |",
      String.raw`| a \| b   |   4.1 |`,
    ]);
  });

  test("missing cells are empty", () => {
    expect(renderMarkdown({ header: ["a", "b"], rows: [["x"]] }).split("\n")[2]).toBe("| x   |     |");
  });
});

describe("figures", () => {
  test("ratios have the digits that matter", () => {
    expect([0.824, 0.0042, 4.12, 127.6].map(formatRatio)).toEqual(["0.82", "0.004", "4.1", "128"]);
  });

  test("counts are grouped by thousands", () => {
    expect([7, 1234.4, 1_234_567].map(formatCount)).toEqual(["7", "1 234", "1 234 567"]);
  });

  test("sizes go by tens, memory by twos", () => {
    expect([19_600, 2_500_000].map(formatSize)).toEqual(["19.6 KB", "2.5 MB"]);
    expect([4096, 3 * 1024 * 1024].map(formatMemory)).toEqual(["4.0 KiB", "3.0 MiB"]);
  });

  test("a verdict says how much is missing", () => {
    expect(formatVerdict({ isMet: true, shortfall: 0 })).toBe("yes");
    expect(formatVerdict({ isMet: false, shortfall: 0.042 })).toBe("no, 4 % short");
    expect(formatVerdict({ isMet: false, shortfall: 0.002 })).toBe("no, less than 1 % short");
  });
});
