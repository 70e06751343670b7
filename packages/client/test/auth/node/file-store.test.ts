import type * as Files from "node:fs/promises";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileStore } from "@toolwire/client/auth/node";
import { importFileKey } from "../../../src/auth/node/file-codec.ts";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";

/** Whether the disk is full when a file gets its name, and the error of a file system without links. */
const disk = vi.hoisted(() => ({ isFull: false, refusal: "" }));
vi.mock("node:fs/promises", async (importOriginal) => {
  const real = await importOriginal<typeof Files>();
  const link: typeof real.link = (from, to) => {
    if (disk.refusal !== "") return Promise.reject(Object.assign(new Error("refused"), { code: disk.refusal }));
    return disk.isFull ? Promise.reject(new Error("no space left on the device")) : real.link(from, to);
  };
  return { ...real, link };
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

/** The folder of the only key of a store, and the name of its only file. */
async function onlyFile(directory: string): Promise<{ readonly folder: string; readonly path: string }> {
  const [name, ...others] = await readdir(directory);
  expect(others).toEqual([]);
  const inside = join(directory, name!);
  const files = await readdir(inside);
  expect(files).toHaveLength(1);
  return { folder: inside, path: join(inside, files[0]!) };
}

const modeOf = async (path: string): Promise<string> => ((await lstat(path)).mode & 0o777).toString(8);

describe("file store: modes, links, owner, crash between write and link", () => {
  test.runIf(isPosix)(
    "threat 25: each directory is 0700, each file 0600, and each folder is named by a hash",
    async () => {
      const directory = await folder();
      const store = fileStore({ directory });
      expect(await store.swap(KEY, undefined, { accessToken: "t" })).toBe(true);
      const { folder: inside, path } = await onlyFile(directory);
      expect(inside).toMatch(/[0-9a-f]{64}$/);
      expect(await Promise.all([directory, inside, path].map(modeOf))).toEqual(["700", "700", "600"]);
    },
  );

  test.runIf(isPosix)("threat 25: a directory or a file that others can read is refused", async () => {
    const directory = await folder();
    await mkdir(directory, { mode: 0o755 });
    await chmod(directory, 0o755);
    await expect(fileStore({ directory }).get(KEY)).rejects.toThrow(/other users \(mode 755\)/);
    await expect(fileStore({ directory }).swap(KEY, undefined, { a: 1 })).rejects.toThrow(/other users \(mode 755\)/);
    await chmod(directory, 0o700);
    const store = fileStore({ directory });
    await store.swap(KEY, undefined, { a: 1 });
    const { folder: inside, path } = await onlyFile(directory);
    for (const [place, mode] of [
      [path, 0o644],
      [path, 0o660],
      [inside, 0o750],
      [inside, 0o701],
    ] as const) {
      await chmod(place, mode);
      await expect(store.get(KEY)).rejects.toMatchObject({
        code: "INVALID_STATE",
        message: expect.stringMatching(new RegExp(`other users \\(mode ${mode.toString(8)}\\).*chmod`)) as string,
      });
      await chmod(place, place === path ? 0o600 : 0o700);
    }
    expect(await store.get(KEY)).toMatchObject({ value: { a: 1 } });
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
    const { path } = await onlyFile(directory);
    const target = join(directory, "..", "elsewhere");
    await writeFile(target, await readFile(path), { mode: 0o600 });
    await rm(path);
    await symlink(target, path);
    await expect(store.get(KEY)).rejects.toThrow(/link/);
    const linked = join(directory, "..", "linked");
    await symlink(directory, linked);
    await expect(fileStore({ directory: linked }).get(KEY)).rejects.toThrow(/link/);
  });

  test.runIf(isPosix)("threat 25: a folder in the place of a value is refused", async () => {
    const directory = await folder();
    const store = fileStore({ directory });
    await store.swap(KEY, undefined, { a: 1 });
    const { path } = await onlyFile(directory);
    await rm(path);
    await mkdir(path);
    await expect(store.get(KEY)).rejects.toThrow(/no file of this store/);
  });

  test("threat 25: a draft that never got its name changes nothing, and the next write removes it", async () => {
    const directory = await folder();
    const store = fileStore({ directory });
    await store.swap(KEY, undefined, { a: 1 });
    const { folder: inside } = await onlyFile(directory);
    await writeFile(join(inside, "2.0f.tmp"), "half of", { mode: 0o600 });
    const { version } = (await store.get(KEY))!;
    expect(await readdir(inside)).toEqual(["1", "2.0f.tmp"]);
    expect(await store.swap(KEY, version, { a: 2 })).toBe(true);
    expect(await store.get(KEY)).toMatchObject({ value: { a: 2 } });
    expect(await readdir(inside)).toEqual(["2"]);
  });

  test("threat 25: a process that was killed before it removed an old token leaves it to the next one that reads", async () => {
    const directory = await folder();
    const store = fileStore({ directory });
    await store.swap(KEY, undefined, { accessToken: "canary" });
    const { path, folder: inside } = await onlyFile(directory);
    const old = await readFile(path);
    await store.swap(KEY, (await store.get(KEY))!.version, undefined);
    await writeFile(path, old, { mode: 0o600 });
    expect(await store.get(KEY)).toBeUndefined();
    expect(await readdir(inside)).toEqual(["2"]);
    expect(await readFile(join(inside, "2"), "utf8")).not.toContain("canary");
  });

  test("threat 25: a write that fails leaves nothing of a token behind", async () => {
    const directory = await folder();
    const store = fileStore({ directory });
    disk.isFull = true;
    cleanups.push(async () => {
      disk.isFull = false;
    });
    await expect(store.swap(KEY, undefined, { accessToken: "canary" })).rejects.toThrow("no space left");
    const [inside] = await readdir(directory);
    expect(await readdir(join(directory, inside!))).toEqual([]);
  });

  test.each(["EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])(
    "a file system without hard links is refused, with advice (%s)",
    async (code) => {
      disk.refusal = code;
      cleanups.push(async () => {
        disk.refusal = "";
      });
      const failure: unknown = await fileStore({ directory: await folder() })
        .swap(KEY, undefined, {})
        .catch(String);
      expect(failure).toMatch(new RegExp(`no hard links \\(${code}\\)\\. Choose another`));
    },
  );

  test("files of an earlier version of the store are removed, others stay", async () => {
    const directory = await folder();
    await mkdir(directory, { mode: 0o700 });
    const hash = "ab".repeat(32);
    for (const name of [hash, `${hash}.lock`, `${hash}.1f.tmp`, "README", "notes.txt"]) {
      await writeFile(join(directory, name), "token", { mode: 0o600 });
    }
    const store = fileStore({ directory });
    await store.swap(KEY, undefined, { a: 1 });
    const names = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isFile());
    expect(names.map(({ name }) => name).toSorted()).toEqual(["README", "notes.txt"]);
    expect(await store.get(KEY)).toMatchObject({ value: { a: 1 } });
  });

  test("a file of another key is not used", async () => {
    const directory = await folder();
    const store = fileStore({ directory });
    await store.swap("one", undefined, { a: 1 });
    const { path: one, folder: inside } = await onlyFile(directory);
    await store.swap("two", undefined, { a: 2 });
    const two = (await readdir(directory)).map((name) => join(directory, name)).find((path) => path !== inside)!;
    await writeFile(join(two, "1"), await readFile(one), { mode: 0o600 });
    await expect(store.get("two")).rejects.toMatchObject({ code: "LOGIN_REQUIRED" });
  });
});

describe("a damaged file", () => {
  const entry = { version: "v", history: [], key: KEY, value: { a: 1 } };
  const damaged: Readonly<Record<string, string>> = {
    null: "null",
    "an array": "[]",
    "a text": '"text"',
    "a number": "1",
    true: "true",
    nothing: "",
    "half of a value": JSON.stringify(entry).slice(0, -4),
    "no history": JSON.stringify({ ...entry, history: undefined }),
    "a history of numbers": JSON.stringify({ ...entry, history: [1] }),
    "a history that is a text": JSON.stringify({ ...entry, history: "v" }),
    "no version": JSON.stringify({ ...entry, version: 1 }),
    "another key": JSON.stringify({ ...entry, key: "other" }),
    "bytes that are no UTF-8": "\u0000",
  };

  test.each(Object.keys(damaged))("leads to an error that says what to do, for all operations: %s", async (kind) => {
    const directory = await folder();
    const store = fileStore({ directory });
    await store.swap(KEY, undefined, { a: 1 });
    const { path } = await onlyFile(directory);
    await writeFile(path, kind.includes("UTF-8") ? Uint8Array.of(0x22, 0xff, 0x22) : damaged[kind]!);
    const tries = [store.get(KEY), store.swap(KEY, undefined, { a: 2 }), store.swap(KEY, "v", undefined)];
    for (const outcome of await Promise.allSettled(tries)) {
      expect(outcome).toMatchObject({
        status: "rejected",
        reason: { name: "AuthError", code: "LOGIN_REQUIRED" },
      });
      const { reason } = outcome as PromiseRejectedResult;
      expect((reason as Error).cause).toBeUndefined();
      expect(String(reason)).toMatch(/damaged.*delete the directory and log in again/);
    }
  });

  test("of any content never leads to another kind of error, nor to a value", async () => {
    const directory = await folder();
    const store = fileStore({ directory });
    await store.swap(KEY, undefined, { a: 1 });
    const { path } = await onlyFile(directory);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.json().map((text) => text.slice(0, -1)),
        ),
        async (text) => {
          await writeFile(path, text);
          await expect(store.get(KEY)).rejects.toMatchObject({ code: "LOGIN_REQUIRED" });
        },
      ),
      { numRuns: 100 },
    );
  });

  test("that is larger than any value is not read", async () => {
    const directory = await folder();
    const store = fileStore({ directory });
    await store.swap(KEY, undefined, { a: "x".repeat(1024 * 1024 - 500) });
    expect(await store.get(KEY)).toBeDefined();
    const { path } = await onlyFile(directory);
    await writeFile(path, "x".repeat(1024 * 1024 + 1));
    await expect(store.get(KEY)).rejects.toThrow(/no file of this store/);
  });

  test("is gone when the directory is deleted, and the store that saw it goes on", async () => {
    const directory = await folder();
    const store = fileStore({ directory });
    await store.swap(KEY, undefined, { a: 1 });
    await writeFile((await onlyFile(directory)).path, "null");
    await expect(store.get(KEY)).rejects.toMatchObject({ code: "LOGIN_REQUIRED" });
    await rm(directory, { recursive: true });
    expect(await store.get(KEY)).toBeUndefined();
    expect(await store.lock!(KEY, () => store.swap(KEY, undefined, { a: 2 }), { signal: undefined })).toBe(true);
    expect(await store.get(KEY)).toMatchObject({ value: { a: 2 } });
    if (isPosix) expect(await modeOf(directory)).toBe("700");
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

test.runIf(process.platform === "linux")("no file of the store stays open", async () => {
  const directory = await folder();
  const store = fileStore({ directory });
  await store.swap(KEY, undefined, { a: 1 });
  await store.get(KEY);
  const open = await Promise.all(
    (await readdir("/proc/self/fd")).map((id) => readlink(join("/proc/self/fd", id)).catch(() => "")),
  );
  expect(open.filter((path) => path.startsWith(directory))).toEqual([]);
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
    const { path } = await onlyFile(directory);
    expect(await readFile(path, "latin1")).not.toMatch(/canary|as\.example/);
    for (const other of [undefined, new Uint8Array(32)]) {
      const failure = await fileStore({ directory, key: other })
        .get(KEY)
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "LOGIN_REQUIRED" });
    }
  });

  test("the key cannot be read from the program again", async () => {
    const key = await importFileKey(new Uint8Array(32));
    expect(key).toMatchObject({ extractable: false, type: "secret", algorithm: { name: "AES-GCM", length: 256 } });
    await expect(crypto.subtle.exportKey("raw", key)).rejects.toThrow(/extractable/);
  });

  test("a key that the program overwrites afterwards is still the one that was given", async () => {
    const directory = await folder();
    const key = new Uint8Array(32).fill(7);
    const store = fileStore({ directory, key });
    key.fill(0);
    await store.swap(KEY, undefined, { a: 1 });
    expect(await fileStore({ directory, key: new Uint8Array(32).fill(7) }).get(KEY)).toMatchObject({ value: { a: 1 } });
  });

  test("equal values are never encrypted to equal bytes", async () => {
    const directory = await folder();
    const store = fileStore({ directory, key: new Uint8Array(32) });
    const contents = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      await store.swap(KEY, (await store.get(KEY))?.version, { a: 1 });
      contents.add((await readFile((await onlyFile(directory)).path)).subarray(0, 12).toString("hex"));
    }
    expect(contents.size).toBe(3);
  });

  test("a key of another length is refused", () => {
    expect(() => fileStore({ directory: "x", key: new Uint8Array(16) })).toThrow(/32 bytes/);
    expect(() => fileStore({ directory: "" })).toThrow(/directory/);
  });
});
