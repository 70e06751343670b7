import type * as Files from "node:fs/promises";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileStore } from "@toolwire/client/auth/node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { withFileLock } from "../../../src/auth/node/file-lock.ts";

/** Whether the disk is full when a file is put in its place. */
const disk = vi.hoisted(() => ({ isFull: false }));
vi.mock("node:fs/promises", async (importOriginal) => {
  const real = await importOriginal<typeof Files>();
  const rename: typeof real.rename = (from, to) =>
    disk.isFull ? Promise.reject(new Error("no space left on the device")) : real.rename(from, to);
  return { ...real, rename };
});

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function folder(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "store-"));
  cleanups.push(() => rm(parent, { recursive: true, force: true }));
  return join(parent, "auth");
}

const KEY = 'grant ["https://as.example/../../etc","client"]';
const isPosix = process.platform !== "win32";

describe("file store: modes, links, owner, crash between write and rename", () => {
  test.runIf(isPosix)("threat 25: the directory is 0700, each file 0600, and named by a hash", async () => {
    const directory = await folder();
    const store = fileStore({ directory });
    expect(await store.swap(KEY, undefined, { accessToken: "t" })).toBe(true);
    expect(((await lstat(directory)).mode & 0o777).toString(8)).toBe("700");
    const names = await readdir(directory);
    expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/) as string]);
    expect(((await lstat(join(directory, names[0]!))).mode & 0o777).toString(8)).toBe("600");
  });

  test.runIf(isPosix)("threat 25: a directory or a file that others can read is refused", async () => {
    const directory = await folder();
    await mkdir(directory, { mode: 0o755 });
    await chmod(directory, 0o755);
    await expect(fileStore({ directory }).get(KEY)).rejects.toThrow(/other users \(mode 755\)/);
    await chmod(directory, 0o700);
    const store = fileStore({ directory });
    await store.swap(KEY, undefined, { a: 1 });
    const [name] = await readdir(directory);
    await chmod(join(directory, name!), 0o644);
    await expect(store.get(KEY)).rejects.toThrow(/other users \(mode 644\)/);
  });

  test.runIf(isPosix)("threat 25: a directory of another user is refused", async () => {
    // Root can give a directory away; everybody else has one that is not theirs.
    const isRoot = process.getuid?.() === 0;
    const directory = isRoot ? await folder() : "/usr";
    if (isRoot) {
      await mkdir(directory, { mode: 0o700 });
      await chown(directory, 65_534, 65_534);
    }
    await expect(fileStore({ directory }).get(KEY)).rejects.toThrow(/belongs to another user/);
  });

  test.runIf(isPosix)("threat 25: links are not followed", async () => {
    const directory = await folder();
    const store = fileStore({ directory });
    await store.swap(KEY, undefined, { a: 1 });
    const [name] = await readdir(directory);
    const target = join(directory, "..", "elsewhere");
    await writeFile(target, await readFile(join(directory, name!)), { mode: 0o600 });
    await rm(join(directory, name!));
    await symlink(target, join(directory, name!));
    await expect(store.get(KEY)).rejects.toThrow(/link/);
    const linked = join(directory, "..", "linked");
    await symlink(directory, linked);
    await expect(fileStore({ directory: linked }).get(KEY)).rejects.toThrow(/link/);
  });

  test("threat 25: a draft that was never renamed changes nothing, and neither does a lock of a dead process", async () => {
    const directory = await folder();
    const store = fileStore({ directory });
    await store.swap(KEY, undefined, { a: 1 });
    const [name] = await readdir(directory);
    await writeFile(join(directory, `${name}.draft.tmp`), "half of", { mode: 0o600 });
    const { hostname } = await import("node:os");
    await writeFile(join(directory, `${name}.write`), `2147483646 ${hostname()} dead`, { mode: 0o600 });
    const { version } = (await store.get(KEY))!;
    expect(await store.swap(KEY, version, { a: 2 })).toBe(true);
    expect(await store.get(KEY)).toMatchObject({ value: { a: 2 } });
  });

  test("threat 25: a write that fails leaves nothing of a token behind", async () => {
    const directory = await folder();
    const store = fileStore({ directory });
    disk.isFull = true;
    cleanups.push(async () => {
      disk.isFull = false;
    });
    await expect(store.swap(KEY, undefined, { accessToken: "canary" })).rejects.toThrow("no space left");
    expect(await readdir(directory)).toEqual([]);
  });

  test("drafts of processes that were killed long ago are removed, others stay", async () => {
    const directory = await folder();
    await mkdir(directory, { mode: 0o700 });
    await writeFile(join(directory, "old.tmp"), "token", { mode: 0o600 });
    await writeFile(join(directory, "new.tmp"), "token", { mode: 0o600 });
    const longAgo = new Date(Date.now() - 120_000);
    await utimes(join(directory, "old.tmp"), longAgo, longAgo);
    await fileStore({ directory }).get(KEY);
    expect(await readdir(directory)).toEqual(["new.tmp"]);
  });

  test("a file under the name of another key is not used", async () => {
    const directory = await folder();
    const store = fileStore({ directory });
    await store.swap("one", undefined, { a: 1 });
    const [one] = await readdir(directory);
    await store.swap("two", undefined, { a: 2 });
    const two = (await readdir(directory)).find((name) => name !== one)!;
    await writeFile(join(directory, two), await readFile(join(directory, one!)), { mode: 0o600 });
    await expect(store.get("two")).rejects.toMatchObject({ code: "LOGIN_REQUIRED" });
  });
});

test.runIf(isPosix)("without a directory, tokens never end up where the program happens to run", async () => {
  const parent = await folder();
  await mkdir(parent, { recursive: true });
  const environment = { ...process.env };
  const before = process.cwd();
  cleanups.push(async () => {
    process.env = environment;
  });
  for (const config of ["", "relative/config"]) {
    process.env["XDG_CONFIG_HOME"] = config;
    process.env["HOME"] = parent;
    const store = fileStore();
    await store.swap(`${KEY}${config}`, undefined, { a: 1 });
    expect((await lstat(join(parent, ".config", "toolwire", "auth"))).isDirectory()).toBe(true);
    await expect(lstat(join(before, config || ".", "toolwire"))).rejects.toThrow(/ENOENT/);
  }
  process.env["XDG_CONFIG_HOME"] = join(parent, "own");
  await fileStore().swap(KEY, undefined, { a: 1 });
  expect(await readdir(join(parent, "own", "toolwire", "auth"))).toHaveLength(1);
});

test("a value is replaced only by whoever knows its version", async () => {
  const store = fileStore({ directory: await folder() });
  expect(await store.swap(KEY, "made up", { a: 1 })).toBe(false);
  expect(await store.swap(KEY, undefined, { a: 1 })).toBe(true);
  expect(await store.swap(KEY, undefined, { a: 2 })).toBe(false);
  const { version } = (await store.get(KEY))!;
  const outcomes = await Promise.all(Array.from({ length: 10 }, (_, index) => store.swap(KEY, version, { index })));
  expect(outcomes.filter(Boolean)).toHaveLength(1);
  const last = (await store.get(KEY))!;
  expect(await store.swap(KEY, last.version, undefined)).toBe(true);
  expect(await store.get(KEY)).toBeUndefined();
});

describe("encryption", () => {
  test("with a key, nothing of a value is in the files, and another key reads nothing", async () => {
    const directory = await folder();
    const key = crypto.getRandomValues(new Uint8Array(32));
    const store = fileStore({ directory, key });
    await store.swap(KEY, undefined, { accessToken: "canary-token" });
    expect(await store.get(KEY)).toMatchObject({ value: { accessToken: "canary-token" } });
    const [name] = await readdir(directory);
    expect(await readFile(join(directory, name!), "latin1")).not.toMatch(/canary|as\.example/);
    for (const other of [undefined, new Uint8Array(32)]) {
      const failure = await fileStore({ directory, key: other })
        .get(KEY)
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "LOGIN_REQUIRED" });
    }
  });

  test("a key of another length is refused", () => {
    expect(() => fileStore({ directory: "x", key: new Uint8Array(16) })).toThrow(/32 bytes/);
    expect(() => fileStore({ directory: "" })).toThrow(/directory/);
  });
});

describe("locks", () => {
  test("work under one lock never overlaps", async () => {
    const path = join(await folder(), "..", "lock");
    let running = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => withFileLock(path, undefined, work)));
    expect(most).toBe(1);
    await expect(lstat(path)).rejects.toThrow("ENOENT");
  });

  test("a lock of a process on another machine is respected", async () => {
    const path = join(await folder(), "..", "lock");
    await writeFile(path, `2147483646 another-machine id`);
    const stop = new AbortController();
    const waiting = withFileLock(path, stop.signal, async () => "in");
    setTimeout(() => stop.abort(new Error("waited enough")), 200);
    await expect(waiting).rejects.toThrow("waited enough");
  });

  test("work that fails gives its lock back", async () => {
    const path = join(await folder(), "..", "lock");
    await expect(
      withFileLock(path, undefined, async () => {
        throw new Error("broken");
      }),
    ).rejects.toThrow("broken");
    expect(await withFileLock(path, undefined, async () => "again")).toBe("again");
  });
});
