import { expect, test } from "vitest";
import { failureLines, reasonToSkip } from "../../scripts/step-output.mjs";

test("the end of unknown output is shown, without colours and empty lines after it", () => {
  const output = `${Array.from({ length: 100 }, (_, index) => `\u001B[31mline ${index}\u001B[39m`).join("\n")}\n\n`;

  expect(failureLines(output)).toHaveLength(60);
  expect(failureLines(output).at(-1)).toBe("line 99");
});

const VITEST = `
 RUN  v4 repository

stdout | a.test.ts > works
Fetching a thing …

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  packages/one/test/a.test.ts > a thing is made
AssertionError: expected 1 to be 2
- Expected
+ Received
 ❯ packages/one/test/a.test.ts:7:13
      5|   const made = make();
 FAIL  packages/one/test/b.test.ts [ packages/one/test/b.test.ts ]
Error: Cannot find module './b.ts'

 Test Files  2 failed | 1 passed (3)
      Tests  1 failed | 4 passed (5)
   Start at  10:00:00
`;

test("a failed test run shows the failures, their errors and places, and the counts", () => {
  expect(failureLines(VITEST).map((line) => line.trim())).toEqual([
    "⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯",
    "FAIL  packages/one/test/a.test.ts > a thing is made",
    "AssertionError: expected 1 to be 2",
    "❯ packages/one/test/a.test.ts:7:13",
    "FAIL  packages/one/test/b.test.ts [ packages/one/test/b.test.ts ]",
    "Error: Cannot find module './b.ts'",
    "Test Files  2 failed | 1 passed (3)",
    "Tests  1 failed | 4 passed (5)",
  ]);
});

test("a test run with very many failures shows the first ones and the counts", () => {
  const failures = Array.from({ length: 400 }, (_, index) => ` FAIL  test ${index}`).join("\n");
  const lines = failureLines(`${failures}\n${VITEST}`);

  expect(lines).toHaveLength(150);
  expect(lines[0]).toBe(" FAIL  test 0");
  expect(lines.at(-1)).toContain("1 failed | 4 passed (5)");
  expect(lines.at(-7)).toMatch(/^… \d+ more lines …$/);
});

test("a command that lacked a program is skipped, with what it said about it", () => {
  expect(reasonToSkip("Chromium is not installed.\n0 passed, 0 failed, 1 skipped\n")).toBe(
    "Chromium is not installed.",
  );
  expect(reasonToSkip("built\nPostgres cannot be found.\r\n0 passed, 0 failed, 1 skipped\r\n")).toBe(
    "Postgres cannot be found.",
  );
});

test("a command that did something is not skipped, whatever it skipped of it", () => {
  expect(reasonToSkip("a check\n1 passed, 0 failed, 1 skipped\n")).toBeUndefined();
  expect(reasonToSkip("0 passed, 0 failed, 1 skipped\nand more\n")).toBeUndefined();
  expect(reasonToSkip("")).toBeUndefined();
});
