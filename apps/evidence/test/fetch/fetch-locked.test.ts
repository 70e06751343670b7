import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fetchLocked } from "../../src/fetch/fetch-locked.ts";
import { FetchFailure } from "../../src/fetch/package-managers.ts";

const pnpm = fileURLToPath(new URL("../../../../node_modules/.bin/pnpm", import.meta.url));

/** How each package manager writes a lockfile without installing anything. */
const MANAGERS = {
  npm: ["npm", "install", "--package-lock-only", "--no-audit", "--no-fund"],
  pnpm: [pnpm, "install", "--lockfile-only"],
} as const;

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "fetch-locked-"));
  writePackage("thing", { name: "thing", version: "1.2.3", scripts: { install: "echo ran > ran" } });
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function writePackage(folder: string, manifest: object): string {
  const directory = join(place, folder);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "package.json"), JSON.stringify(manifest));
  return directory;
}

/** A folder with a manifest and a lockfile, which names a package in the folder next to it. */
function writeLock(manager: keyof typeof MANAGERS): string {
  const lock = writePackage("lock", { name: "lock", private: true, dependencies: { thing: "file:../thing" } });
  if (manager === "pnpm") writeFileSync(join(lock, "pnpm-workspace.yaml"), "packages: []\npmOnFail: ignore\n");
  const [program, ...args] = MANAGERS[manager];
  execFileSync(program, args, { cwd: lock, stdio: "pipe" });
  return lock;
}

describe.each(["npm", "pnpm"] as const)("a lockfile of %s", (manager) => {
  test("is installed without running install scripts", async () => {
    const lock = writeLock(manager);

    const packages = await fetchLocked({ title: "a thing", lock, directory: join(place, "installed") });

    const thing = packages.find("thing");
    expect(thing?.manifest.version).toBe("1.2.3");
    expect(existsSync(join(thing?.folder ?? "", "ran"))).toBe(false);
    expect(packages.find("other")).toBeUndefined();
  });

  test("is installed again only after it has changed", async () => {
    const request = { title: "a thing", lock: writeLock(manager), directory: join(place, "installed") };
    const { find } = await fetchLocked(request);
    const folder = find("thing")?.folder ?? "";
    rmSync(folder, { recursive: true });

    await fetchLocked(request);
    expect(existsSync(folder)).toBe(false);

    writePackage("thing", { name: "thing", version: "2.0.0", dependencies: { other: "file:../other" } });
    writePackage("other", { name: "other", version: "1.0.0" });
    writeLock(manager);
    await fetchLocked(request);
    expect(find("thing")?.manifest.version).toBe("2.0.0");
  });
});

test("a lockfile that no longer matches its manifest is refused, and the network is not blamed", async () => {
  const request = { title: "a thing", lock: writeLock("pnpm"), directory: join(place, "installed") };
  await fetchLocked(request);
  writePackage("lock", { name: "lock", private: true, dependencies: { other: "file:../other" } });

  const failure = await fetchLocked(request).catch((error: unknown) => error);

  expect(failure).toBeInstanceOf(FetchFailure);
  expect(failure).toMatchObject({ isNetwork: false, message: expect.stringContaining("a thing could not be fetched") });
});

test("a registry that cannot be reached is told apart from other failures", async () => {
  const lock = writePackage("lock", { name: "lock", private: true, dependencies: { "no-such-package": "1.0.0" } });
  writeFileSync(
    join(lock, "pnpm-workspace.yaml"),
    "packages: []\npmOnFail: ignore\nregistry: http://127.0.0.1:9/\nfetchRetries: 0\n",
  );
  const sha = `sha512-${"A".repeat(86)}==`;
  writeFileSync(
    join(lock, "pnpm-lock.yaml"),
    [
      "lockfileVersion: '9.0'",
      "importers:",
      "  .:",
      "    dependencies:",
      "      no-such-package:",
      "        specifier: 1.0.0",
      "        version: 1.0.0",
      "packages:",
      "  no-such-package@1.0.0:",
      `    resolution: {integrity: ${sha}}`,
      "snapshots:",
      "  no-such-package@1.0.0: {}",
      "",
    ].join("\n"),
  );

  await expect(fetchLocked({ title: "a thing", lock, directory: join(place, "installed") })).rejects.toMatchObject({
    isNetwork: true,
    message: expect.stringContaining("127.0.0.1:9"),
  });
});

test("a folder without a lockfile is refused", async () => {
  const lock = writePackage("lock", { name: "lock" });

  await expect(fetchLocked({ title: "a thing", lock, directory: join(place, "installed") })).rejects.toThrow(
    "has no lockfile",
  );
});
