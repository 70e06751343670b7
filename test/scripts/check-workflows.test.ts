/** `scripts/check-workflows.mjs`, on small trees. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = fileURLToPath(new URL("../../scripts/check-workflows.mjs", import.meta.url));
const WORKFLOW = `
permissions:
  contents: read
jobs:
  check:
    timeout-minutes: 10
    strategy:
      matrix:
        node: ["20.19", "22"]
    steps:
      - uses: actions/checkout@v6
      - run: npm run build
      - run: .ci/run
`;

let tree: string;
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), "toolwire-workflows-"));
  write("package.json", JSON.stringify({ scripts: { build: "tsc" }, engines: { node: ">=20.19" } }));
  write(".nvmrc", "20.19\n");
  write(".ci/run", "");
  write(".github/workflows/ci.yml", WORKFLOW);
});
afterEach(() => rmSync(tree, { recursive: true, force: true }));

test("a workflow that agrees with package.json passes", () => {
  expect(check()).toEqual([]);
});

test.each([
  ["permissions:\n  contents: read\n", "", "ci.yml: has no `permissions`"],
  ["    timeout-minutes: 10\n", "", "ci.yml: check: has no `timeout-minutes`"],
  ["@v6", "@main", "`actions/checkout@main` is not pinned"],
  ["npm run build", "npm run biuld", "package.json has no script `biuld`"],
  [".ci/run", ".ci/walk", "there is no `.ci/walk`"],
  ['"20.19", "22"', '"22"', "begins with Node 22, but `engines` begins with 20.19"],
  ['"20.19", "22"', '"20.19", "24"', "leaves out Node 22"],
  ["npm run build", "echo ${{ github.event.issue.title }}", "puts what others wrote into a shell"],
  ["jobs:", "jobs: [", "ci.yml: "],
])("%j replaced by %j is a problem: %s", (before, after, problem) => {
  write(".github/workflows/ci.yml", WORKFLOW.replace(before, after));

  expect(check()).toContainEqual(expect.stringContaining(problem));
});

test("an issue form needs a name, a description, and fields with ids", () => {
  write(".github/ISSUE_TEMPLATE/bug.yml", "name: Bug\nbody:\n  - type: input\n  - type: markdown\n");

  expect(check()).toEqual([
    ".github/ISSUE_TEMPLATE/bug.yml: has no `description`",
    ".github/ISSUE_TEMPLATE/bug.yml: every field needs an `id` of its own",
  ]);
});

function check(): string[] {
  const { status, stderr } = spawnSync(process.execPath, [script, tree], { encoding: "utf8" });
  const problems = stderr.split("\n").filter(Boolean);
  expect(status).toBe(problems.length === 0 ? 0 : 1);
  return problems;
}

function write(path: string, text: string): void {
  const file = join(tree, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
