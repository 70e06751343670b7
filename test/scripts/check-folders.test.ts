/** `scripts/check-folders.mjs`, on small trees of packages. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = fileURLToPath(new URL("../../scripts/check-folders.mjs", import.meta.url));
const README = `# A package

<!-- folders -->

- \`model/\` the data
- \`wire/\` reads and writes the data
- \`server.ts\` puts it together
- \`bindings/\` connects \`server.ts\` to the world
- \`legacy/\` may go away

<!-- /folders -->
`;

let tree: string;
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), "toolwire-folders-"));
  write("scripts/legacy-lines.mjs", "export const LEGACY_LINES = {};\nexport const MOST_LEGACY_LINES = 3;\n");
  write("packages/one/README.md", README);
  write("packages/one/src/errors.ts", "");
  write("packages/one/src/model/data.ts", 'import { fail } from "../errors.ts";\n');
  write("packages/one/src/wire/read.ts", 'import type { Data } from "../model/data.ts";\nimport "./write.ts";\n');
  write("packages/one/src/wire/write.ts", "");
  write("packages/one/src/server.ts", 'export * from "./wire/read.ts";\n');
  write("packages/one/src/bindings/http.ts", 'import { serve } from "../server.ts";\n');
  write("packages/one/src/legacy/era.ts", 'import { read } from "../wire/read.ts";\nimport "../bindings/http.ts";\n');
});
afterEach(() => rmSync(tree, { recursive: true, force: true }));

test("imports that follow the order pass", () => {
  expect(check()).toEqual({ passed: true, problems: [] });
});

test("an import against the order is reported with file, line, target and what is allowed", () => {
  write("packages/one/src/wire/write.ts", '\nimport {\n  serve,\n} from "../server.ts";\n');

  expect(check()).toEqual({
    passed: false,
    problems: ["packages/one/src/wire/write.ts:4: imports server.ts, but `wire/` may import only model/"],
  });
});

test.each([
  'import type { Data } from "../wire/read.ts";',
  'void import("../wire/read.ts");',
  'export * from "../wire/read.ts";',
])("%s counts as an import", (text) => {
  write("packages/one/src/model/data.ts", text);

  expect(check().problems).toEqual([
    "packages/one/src/model/data.ts:1: imports wire/read.ts, but `model/` may import no other folder",
  ]);
});

test("imports in comments do not count", () => {
  write("packages/one/src/model/data.ts", '/**\n * import { read } from "../wire/read.ts";\n */\n');

  expect(check().passed).toBe(true);
});

test("specifiers of the manifest's imports are resolved to sources", () => {
  const imports = { "#read": { "@toolwire/source": { node: "./src/wire/read.ts" }, default: "./dist/wire/read.js" } };
  write("packages/one/package.json", JSON.stringify({ imports }));
  write("packages/one/src/model/data.ts", 'import { read } from "#read";\n');

  expect(check().problems).toEqual([expect.stringContaining("model/data.ts:1: imports wire/read.ts")]);
});

test("a folder inside of a listed folder can have a place of its own", () => {
  write("packages/one/README.md", README.replace("- `model/`", "- `wire/basics/` bytes\n- `model/`"));
  write("packages/one/src/wire/basics/bytes.ts", "");
  write("packages/one/src/model/data.ts", 'import "../wire/basics/bytes.ts";\n');

  expect(check()).toEqual({ passed: true, problems: [] });
});

test("folders that are not listed, and listed ones that are not there, are reported", () => {
  write("packages/one/README.md", README.replace("`model/`", "`data/`"));

  expect(check().problems).toEqual([
    "packages/one/README.md: `data/` is in the list of folders, but src has nothing of that name",
    "packages/one/src/model/ is not in the list of folders in packages/one/README.md",
  ]);
});

test("outside of legacy/, only the lines in the table may import it", () => {
  const line = 'import { legacy } from "./legacy/era.ts";';
  write("packages/one/src/server.ts", `${line}\n`);
  expect(check().problems).toEqual([
    "packages/one/src/server.ts:1: imports legacy/era.ts, but outside of legacy/ only the lines in scripts/legacy-lines.mjs may import it",
  ]);

  allowLegacy({ "src/server.ts": [line] });
  expect(check().problems).toEqual([]);

  allowLegacy({ "src/server.ts": [line, "a", "b", "c"] });
  expect(check().problems).toEqual(["scripts/legacy-lines.mjs: one has 4 lines, but at most 3 are allowed"]);
});

test("a package without a list fails only in strict mode", () => {
  write("packages/one/README.md", "# A package\n");

  expect(check().passed).toBe(true);
  expect(check("--strict")).toEqual({
    passed: false,
    problems: ["packages/one/README.md has no list of folders between <!-- folders --> and <!-- /folders -->"],
  });
});

test("imports through files without a place are followed on request", () => {
  write("packages/one/src/errors.ts", 'import { read } from "./wire/read.ts";\n');

  expect(check().passed).toBe(true);
  expect(check("--through-files").problems).toEqual([
    "packages/one/src/model/data.ts:1: imports wire/read.ts through errors.ts, but `model/` may import no other folder",
  ]);
});

function check(...options: string[]): { passed: boolean; problems: string[] } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...options, tree], { encoding: "utf8" });
  const passed = status === 0;
  if (passed) expect(stdout).toContain("point one way");
  return { passed, problems: passed ? [] : stderr.split("\n").filter(Boolean) };
}

function allowLegacy(lines: object): void {
  const table = JSON.stringify({ one: lines });
  write("scripts/legacy-lines.mjs", `export const LEGACY_LINES = ${table};\nexport const MOST_LEGACY_LINES = 3;\n`);
}

function write(path: string, text: string): void {
  const file = join(tree, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
