import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { fileCodec } from "../../../src/auth/node/file-codec.ts";
import { type Files, NumberedFiles } from "../../../src/auth/node/numbered-files.ts";
import { PrivateFiles } from "../../../src/auth/node/private-files.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const codec = fileCodec("key", undefined, () => new Error("unreadable"));

async function disk(): Promise<Files> {
  const directory = await mkdtemp(join(tmpdir(), "numbered-"));
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  return new PrivateFiles(directory);
}

const seriesOn = (files: Files): NumberedFiles => new NumberedFiles(files, "folder", codec, false);

/** Files whose owner is stopped before one of its operations, until the test lets it go on. */
function stoppedAt(files: Files, operation: "link" | "list" | "write") {
  let goOn = (): void => {};
  let reached = (): void => {};
  const isReached = new Promise<void>((resolve) => (reached = resolve));
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const stop = async (): Promise<void> => {
    reached();
    await held;
  };
  const stopped: Files = {
    list: async (...given) => {
      if (operation === "list") await stop();
      return files.list(...given);
    },
    read: (...given) => files.read(...given),
    write: async (...given) => {
      if (operation === "write") await stop();
      return files.write(...given);
    },
    link: async (...given) => {
      if (operation === "link") await stop();
      return files.link(...given);
    },
    remove: (...given) => files.remove(...given),
  };
  return { files: stopped, isReached, goOn };
}

/** Writes some values, one after the other. */
async function writeMany(series: NumberedFiles, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await series.append(await series.read(), `later ${index}`);
}

test("values have consecutive numbers, and name the versions before them", async () => {
  const files = await disk();
  const series = seriesOn(files);
  expect(await series.read()).toBeUndefined();
  const one = await series.append(undefined, "one");
  const two = await series.append(one, "two");
  expect(two).toMatchObject({ number: 2, history: [one!.version], value: "two" });
  expect(await series.read()).toEqual(two);
  expect(await series.append(one, "three")).toBeUndefined();
  expect(await files.list("folder")).toEqual(["2"]);
  const gone = await series.append(two, undefined);
  expect(await series.read()).toEqual({ number: 3, version: gone!.version, history: [two!.version, one!.version] });
});

test("a file names 32 versions before its own", async () => {
  const series = seriesOn(await disk());
  await writeMany(series, 40);
  expect((await series.read())?.history).toHaveLength(32);
});

describe("a process that was stopped", () => {
  test("before its file got a name writes nothing", async () => {
    const files = await disk();
    const series = seriesOn(files);
    const first = await series.append(undefined, "first");
    const ghost = stoppedAt(files, "link");
    const write = seriesOn(ghost.files).append(first, "ghost");
    await ghost.isReached;
    await writeMany(series, 1);
    ghost.goOn();
    expect(await write).toBeUndefined();
    expect(await series.read()).toMatchObject({ number: 2, value: "later 0" });
    expect(await files.list("folder")).toEqual(["2"]);
  });

  test.each([2, 5, 32])("while %i others wrote, and removed the files between, writes nothing", async (count) => {
    const files = await disk();
    const series = seriesOn(files);
    const first = await series.append(undefined, "first");
    const ghost = stoppedAt(files, "write");
    const write = seriesOn(ghost.files).append(first, "ghost");
    await ghost.isReached;
    await writeMany(series, count);
    ghost.goOn();
    expect(await write).toBeUndefined();
    expect(await series.read()).toMatchObject({ number: count + 1, value: `later ${count - 1}` });
    expect(await files.list("folder")).toEqual([String(count + 1)]);
  });

  test.each([1, 5, 32])("after its file got a name has written, though %i others have gone further", async (count) => {
    const files = await disk();
    const series = seriesOn(files);
    const first = await series.append(undefined, "first");
    const ghost = stoppedAt(files, "list");
    const write = seriesOn(ghost.files).append(first, "landed");
    await ghost.isReached;
    await writeMany(series, count);
    ghost.goOn();
    expect(await write).toMatchObject({ number: 2, value: "landed" });
    expect((await series.read())?.number).toBe(count + 2);
  });

  test("for longer than anybody remembers is told that its write may be lost", async () => {
    const files = await disk();
    const series = seriesOn(files);
    const first = await series.append(undefined, "first");
    const ghost = stoppedAt(files, "list");
    const write = seriesOn(ghost.files).append(first, "landed");
    await ghost.isReached;
    await writeMany(series, 40);
    ghost.goOn();
    await expect(write).rejects.toMatchObject({ name: "AuthError", code: "TEMPORARY" });
  });
});

test("of many who replace the same value, one does", async () => {
  const files = await disk();
  const first = await seriesOn(files).append(undefined, "first");
  const writes = Array.from({ length: 20 }, (_, index) => seriesOn(files).append(first, index));
  const done = (await Promise.all(writes)).filter((outcome) => outcome !== undefined);
  expect(done).toHaveLength(1);
  expect(await seriesOn(files).read()).toEqual(done[0]);
});

test("the drafts of those who were too late are removed, those of others stay", async () => {
  const files = await disk();
  const series = seriesOn(files);
  await writeMany(series, 3);
  const bytes = Uint8Array.of(1);
  for (const name of ["3.a1.tmp", "4.a1.tmp", "2.b2.tmp", "notes", "0x2", "12345678901234567"]) {
    await files.write("folder", name, bytes, true);
  }
  expect(await series.read()).toMatchObject({ number: 3 });
  expect([...(await files.list("folder"))].toSorted()).toEqual(["0x2", "12345678901234567", "3", "4.a1.tmp", "notes"]);
});

test("a file that is replaced between the list and the read is looked for again, but not for ever", async () => {
  const files = await disk();
  const series = seriesOn(files);
  await writeMany(series, 2);
  let stale = 99;
  const moving: Files = {
    list: async (folder) => (stale-- > 0 ? ["1"] : files.list(folder)),
    read: (...given) => files.read(...given),
    write: (...given) => files.write(...given),
    link: (...given) => files.link(...given),
    remove: (...given) => files.remove(...given),
  };
  expect(await seriesOn(moving).read()).toMatchObject({ number: 2 });
  stale = 100;
  await expect(seriesOn(moving).read()).rejects.toMatchObject({ name: "AuthError", code: "TEMPORARY" });
});
