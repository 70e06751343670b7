import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LEGACY_LINES, MOST_LEGACY_LINES } from "../../scripts/legacy-lines.mjs";

const packages = join(import.meta.dirname, "../../packages");

test("at most three lines of a package may name the legacy era", () => {
  expect(MOST_LEGACY_LINES).toBe(3);
});

describe.each(readdirSync(packages))("the lines of %s that name the legacy era", (name) => {
  const table = LEGACY_LINES[name] ?? {};

  test("are no more than a package may have", () => {
    expect(Object.values(table).flat().length).toBeLessThanOrEqual(MOST_LEGACY_LINES);
  });

  test("are there, each exactly once", () => {
    for (const [file, lines] of Object.entries(table)) {
      const source = readFileSync(join(packages, name, file), "utf8");
      const found = source.split("\n").map((line) => line.trim());
      for (const line of lines) {
        expect([file, line, found.filter((each) => each === line).length]).toEqual([file, line, 1]);
      }
    }
  });

  test("are all that import it", () => {
    const listed = Object.values(table).flat();
    const sources = readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" });
    const outside = sources.filter((path) => path.endsWith(".ts") && !/^legacy[/\\]/.test(path));
    const imports = outside.flatMap((path) =>
      readFileSync(join(packages, name, "src", path), "utf8")
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => /(?:from|import)\s*\(?\s*"[^"]*\/legacy\//.test(line)),
    );
    expect(imports.filter((line) => !listed.includes(line))).toEqual([]);
  });
});
