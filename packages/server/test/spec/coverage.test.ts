/** The table of requirements names tests: they have to exist. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

/** One requirement of a page. */
interface Row {
  readonly page: string;
  readonly revision: string;
  readonly level: string;
  readonly requirement: string;
  readonly proof: string;
}

const LEVELS = ["MUST", "MUST NOT", "SHOULD", "SHOULD NOT"];
const REASONS = /^(?:Author|Operator|Deviation|Not applicable): \S/;

/** A file, and the title of a test in it where it is one: `file.test.ts` › title */
const REFERENCE = /`((?:[\w.-]+\/)*[\w-]+(?:\.test)?\.(?:ts|md))`(?: › ([^<|]+))?/g;

function readRows(): Row[] {
  const rows: Row[] = [];
  let [revision, page] = ["", ""];
  for (const line of readFileSync(new URL("./README.md", import.meta.url), "utf8").split("\n")) {
    if (line.startsWith("## ")) revision = line.slice(3);
    if (line.startsWith("### ")) page = line.slice(4);
    if (!line.startsWith("|") || /^\|\s*(?:-|\|)/.test(line)) continue;
    const [level = "", requirement = "", proof = "", ...rest] = line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    expect(rest, line).toStrictEqual([]);
    rows.push({ page: `${revision} ${page}`, revision, level, requirement, proof });
  }
  return rows;
}

const rows = readRows();

test("the table covers the pages of both revisions", () => {
  const pages = new Set(rows.map(({ page }) => page));
  for (const page of [
    "2025-11-25 basic/lifecycle",
    "2025-11-25 basic/transports",
    "2025-11-25 server/tools",
    "2026-07-28 basic/index",
    "2026-07-28 basic/transports/streamable-http",
    "2026-07-28 basic/patterns/mrtr",
    "2026-07-28 server/utilities/caching",
  ]) {
    expect(pages).toContain(page);
  }
});

describe.each([...new Set(rows.map(({ page }) => page))])("%s", (page) => {
  test.each(rows.filter((row) => row.page === page))("$level $requirement", ({ revision, level, proof }) => {
    expect(LEVELS).toContain(level);
    const references = [...proof.matchAll(REFERENCE)];
    if (references.length === 0) expect(proof).toMatch(REASONS);
    for (const [, path = "", title] of references) {
      const file = new URL(path.includes("/") ? `../${path}` : `./${revision}/${path}`, import.meta.url);
      expect(existsSync(file), `${path} does not exist`).toBe(true);
      if (!path.endsWith(".test.ts")) continue;
      const titles = [`"${title?.trim()}"`, `'${title?.trim()}'`];
      const source = readFileSync(file, "utf8");
      expect(
        titles.some((quoted) => source.includes(quoted)),
        `${path} has no test with the title: ${title}`,
      ).toBe(true);
    }
  });
});
