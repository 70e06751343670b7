/** The tables of requirements, one of each package, name tests: they have to exist. */
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
const REASONS = /^(?:Author|Application|Operator|Deviation|Not applicable): \S/;

/** A file, and the title of a test in it where it is one: `file.test.ts` › title */
const REFERENCE = /`((?:[\w.-]+\/)*[\w-]+(?:\.test)?\.(?:ts|md))`(?: › ([^<|]+))?/g;

/** Some of the pages that each table has to cover. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  server: [
    "2025-11-25 basic/authorization",
    "2025-11-25 basic/lifecycle",
    "2025-11-25 basic/transports",
    "2025-11-25 server/tools",
    "2025-11-25 tutorials/security/security_best_practices",
    "2026-07-28 basic/index",
    "2026-07-28 basic/authorization",
    "2026-07-28 basic/authorization/authorization-server-discovery",
    "2026-07-28 basic/authorization/client-registration",
    "2026-07-28 basic/authorization/security-considerations",
    "2026-07-28 basic/transports/streamable-http",
    "2026-07-28 basic/patterns/mrtr",
    "2026-07-28 tutorials/security/security_best_practices",
    "2026-07-28 server/utilities/caching",
    "2026-07-28 extensions/skills",
  ],
  client: [
    "2025-11-25 basic/lifecycle",
    "2025-11-25 basic/transports",
    "2025-11-25 client/elicitation",
    "2025-11-25 server/tools",
    "2026-07-28 basic/index",
    "2026-07-28 basic/transports/stdio",
    "2026-07-28 basic/transports/streamable-http",
    "2026-07-28 basic/patterns/mrtr",
    "2026-07-28 client/elicitation",
    "2026-07-28 basic/authorization",
    "2026-07-28 basic/authorization/authorization-server-discovery",
    "2026-07-28 basic/authorization/client-registration",
    "2026-07-28 basic/authorization/security-considerations",
    "2026-07-28 tutorials/security/security_best_practices",
    "2026-07-28 extensions/skills",
  ],
};

describe.each(Object.entries(PAGES))("%s", (name, required) => {
  const tests = new URL(`../packages/${name}/test/`, import.meta.url);
  const rows = readRows(new URL("spec/README.md", tests));
  const pages = [...new Set(rows.map(({ page }) => page))];

  test("the table covers the pages of both revisions", () => {
    for (const page of required) expect(pages).toContain(page);
  });

  describe.each(pages)("%s", (page) => {
    test.each(rows.filter((row) => row.page === page))("$level $requirement", ({ revision, level, proof }) => {
      expect(LEVELS).toContain(level);
      const references = [...proof.matchAll(REFERENCE)];
      if (references.length === 0) expect(proof).toMatch(REASONS);
      for (const [, path = "", title] of references) {
        const file = new URL(path.includes("/") ? path : `spec/${revision}/${path}`, tests);
        expect(existsSync(file), `${path} does not exist`).toBe(true);
        if (path.endsWith(".test.ts")) expectTitle(readFileSync(file, "utf8"), title?.trim(), path);
      }
    });
  });
});

function readRows(table: URL): Row[] {
  const rows: Row[] = [];
  let [revision, page] = ["", ""];
  for (const line of readFileSync(table, "utf8").split("\n")) {
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

function expectTitle(source: string, title: string | undefined, path: string): void {
  const isThere = [`"${title}"`, `'${title}'`].some((quoted) => source.includes(quoted));
  expect(isThere, `${path} has no test with the title: ${title}`).toBe(true);
}
