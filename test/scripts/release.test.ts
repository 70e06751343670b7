/** Releases: `npm run version-packages` without its last step, on a small copy of the workspace. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGES = readdirSync(join(root, "packages"));

let tree: string;
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), "toolwire-release-"));
  copy("package.json");
  copy("pnpm-workspace.yaml");
  copy(".changeset/config.json");
  copy("packages/client/src/version.ts");
  for (const name of PACKAGES) {
    copy(`packages/${name}/package.json`);
    const manifest = readJson(`packages/${name}/package.json`) as { version: string; devDependencies: object };
    write(`packages/${name}/package.json`, { ...manifest, version: "1.2.3", devDependencies: {} });
  }
});
afterEach(() => rmSync(tree, { recursive: true, force: true }));

test("the client tells servers the version of its manifest", () => {
  const read = (path: string): string => readFileSync(join(root, "packages/client", path), "utf8");
  const { version } = JSON.parse(read("package.json")) as { version: string };

  expect(read("src/version.ts")).toContain(`VERSION = "${version}";`);
});

test("the version of the client is written where browsers find it", () => {
  run("scripts/write-version.mjs", tree);

  expect(readFileSync(join(tree, "packages/client/src/version.ts"), "utf8")).toContain('VERSION = "1.2.3";');
});

test("a file without the constant is an error, and stays as it is", () => {
  writeFileSync(join(tree, "packages/client/src/version.ts"), "export {};\n");

  expect(() => run("scripts/write-version.mjs", tree)).toThrow(/has no line/);
  expect(readFileSync(join(tree, "packages/client/src/version.ts"), "utf8")).toBe("export {};\n");
});

test("changesets raise all versions together, and become changelogs", () => {
  writeFileSync(
    join(tree, ".changeset/one.md"),
    '---\n"@toolwire/server": minor\n---\n\nServers can wait for their clients.\n',
  );
  run("node_modules/@changesets/cli/bin.js", "version");
  run("scripts/write-version.mjs", tree);

  for (const name of PACKAGES) expect(readJson(`packages/${name}/package.json`)).toMatchObject({ version: "1.3.0" });
  expect(readFileSync(join(tree, "packages/server/CHANGELOG.md"), "utf8")).toMatch(
    /## 1\.3\.0\n\n### Minor Changes\n\n- (?:[\da-f]+: )?Servers can wait for their clients\./,
  );
  expect(readFileSync(join(tree, "packages/client/src/version.ts"), "utf8")).toContain('VERSION = "1.3.0";');
  expect(existsSync(join(tree, ".changeset/one.md"))).toBe(false);
});

function run(program: string, ...args: string[]): void {
  execFileSync(process.execPath, [join(root, program), ...args], { cwd: tree, encoding: "utf8", stdio: "pipe" });
}

function copy(path: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  cpSync(join(root, path), join(tree, path));
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(tree, path), "utf8"));
}

function write(path: string, value: unknown): void {
  writeFileSync(join(tree, path), JSON.stringify(value));
}
