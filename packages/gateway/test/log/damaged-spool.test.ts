import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CallRecord } from "../../src/log/call-record.ts";
import { readPosition, segmentFile, writePosition } from "../../src/log/spool/segments.ts";
import { SpoolReader } from "../../src/log/spool/spool-reader.ts";
import { SpoolWriter } from "../../src/log/spool/spool-writer.ts";
import { makeFolder } from "../storage/databases.ts";
import { makeRecord } from "./records.ts";

let parent: string;
let folder: string;

beforeEach(async () => {
  parent = await makeFolder();
  folder = join(parent, "spool");
  await mkdir(folder, { recursive: true });
});

afterEach(async () => {
  await rm(parent, { recursive: true, force: true });
});

/** Fills two segments with three records each. */
async function fill(): Promise<readonly CallRecord[]> {
  const records = Array.from({ length: 6 }, () => makeRecord());
  const lines = records.map((record) => `${JSON.stringify(record)}\n`);
  await writeFile(segmentFile(folder, 1), lines.slice(0, 3).join(""));
  await writeFile(segmentFile(folder, 2), lines.slice(3).join(""));
  return records;
}

/** Opens the spool as a gateway does, adds a record, and reads everything. */
async function reopen() {
  const added = makeRecord();
  const writer = await SpoolWriter.open(folder);
  const { notices, waiting } = writer;
  writer.append(added);
  writer.close();
  const reader = await SpoolReader.open(folder);
  const ids: string[] = [];
  for (let batch = await reader.next(100); batch !== undefined; batch = await reader.next(100)) {
    ids.push(...batch.records.map(({ id }) => id));
    await reader.commit(batch);
  }
  return { ids, notices, waiting, added: added.id };
}

const positionText = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.json(),
  fc
    .record({
      segment: fc.oneof(fc.nat(4), fc.integer(), fc.double(), fc.maxSafeInteger()),
      offset: fc.oneof(fc.nat(2000), fc.integer(), fc.double(), fc.maxSafeInteger()),
    })
    .map((position) => JSON.stringify(position)),
);

test("Whatever the position says, no whole record behind a place where the reader can have stopped is lost", async () => {
  await fc.assert(
    fc.asyncProperty(positionText, async (text) => {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder);
      const records = await fill();
      const first = await readFile(segmentFile(folder, 1));
      await writeFile(join(folder, "position.json"), text);
      const given = await readPosition(folder);
      const isPossible =
        given.segment <= 1 && (given.segment === 0 || given.offset === 0 || first[given.offset - 1] === 10);
      const { ids, notices, added } = await reopen();
      const skipped = isPossible && given.segment === 1 ? countLines(first.subarray(0, given.offset)) : 0;
      expect(ids).toEqual([...records.slice(skipped).map(({ id }) => id), added]);
      if (!isPossible) expect(notices).toHaveLength(1);
    }),
    { numRuns: 60 },
  );
});

function countLines(bytes: Buffer): number {
  return bytes.toString().split("\n").length - 1;
}

test.each([
  ["has eleven digits", '{"segment":12345678901,"offset":0}', "behind others"],
  ["is behind all segments", '{"segment":9,"offset":0}', "behind others"],
  ["is in the second segment while the first is there", '{"segment":2,"offset":0}', "behind others"],
  ["is beyond the end of its segment", '{"segment":1,"offset":99999999}', "no beginning of a line"],
  ["is in the middle of a line", '{"segment":1,"offset":7}', "no beginning of a line"],
  ["is negative", '{"segment":-1,"offset":-5}', "is damaged"],
  ["is no number", '{"segment":"1","offset":null}', "is damaged"],
  ["is cut off", '{"segment":1,"off', "is damaged"],
  ["is empty", "", "is damaged"],
  ["is null", "null", "is damaged"],
])("A position that %s loses no record, and the operator is told", async (_, text, notice) => {
  const records = await fill();
  await writeFile(join(folder, "position.json"), text);
  const { ids, notices, waiting, added } = await reopen();
  expect(ids).toEqual([...records.map(({ id }) => id), added]);
  expect(waiting).toBe(6);
  expect(notices).toEqual([expect.stringContaining(notice)]);
});

test("A position in a spool without segments does not hide the records that come", async () => {
  await writePosition(folder, { segment: 7, offset: 300 });
  const { ids, notices, added } = await reopen();
  expect(ids).toEqual([added]);
  expect(notices).toEqual([expect.stringContaining("a segment that does not exist")]);
});

test("A position at the end of a segment without a last line end, or before all segments, is believed", async () => {
  const [, , , ...rest] = await fill();
  const { length } = await readFile(segmentFile(folder, 1));
  await writeFile(segmentFile(folder, 1), (await readFile(segmentFile(folder, 1))).subarray(0, length - 1));
  await writePosition(folder, { segment: 1, offset: length - 1 });
  const { ids, notices, added } = await reopen();
  expect(notices).toEqual([]);
  expect(ids).toEqual([...rest.map(({ id }) => id), added]);
});

test.each(["0000000001.jsonl", "position.json", "position.json.new", "0000000009.jsonl"])(
  "A folder with the name %s is set aside, and all other records are kept",
  async (name) => {
    const records = await fill();
    await rm(join(folder, name), { force: true });
    await mkdir(join(folder, name, "kept"), { recursive: true });
    const { ids, notices, added } = await reopen();
    const expected = name === "0000000001.jsonl" ? records.slice(3) : records;
    expect(ids).toEqual([...expected.map(({ id }) => id), added]);
    expect(notices).toEqual([expect.stringContaining(`${name}.set-aside-1`)]);
    expect(await readdir(join(folder, `${name}.set-aside-1`))).toEqual(["kept"]);
  },
);

test("What is set aside twice gets two names", async () => {
  for (const number of [1, 2]) {
    await mkdir(join(folder, "position.json"), { recursive: true });
    const { notices } = await reopen();
    expect(notices[0]).toContain(`position.json.set-aside-${number}`);
    await rm(join(folder, "position.json"), { recursive: true, force: true });
  }
});

test("A link to nowhere is set aside, and a link to a file is read", async () => {
  const records = await fill();
  await symlink(join(parent, "nowhere"), segmentFile(folder, 3));
  await writeFile(join(parent, "elsewhere"), `${JSON.stringify(makeRecord())}\n`);
  await symlink(join(parent, "elsewhere"), segmentFile(folder, 4));
  const { ids, notices } = await reopen();
  expect(notices).toEqual([expect.stringContaining("0000000003.jsonl.set-aside-1")]);
  expect(ids).toHaveLength(records.length + 2);
});

test("A file in place of the spool's folder is set aside", async () => {
  await rm(folder, { recursive: true });
  await writeFile(folder, "not a folder");
  const { ids, notices, added } = await reopen();
  expect(ids).toEqual([added]);
  expect(notices).toEqual([
    expect.stringContaining(`${folder} is no directory. It was renamed to ${folder}.set-aside-1`),
  ]);
  expect(await readFile(`${folder}.set-aside-1`, "utf8")).toBe("not a folder");
});

test("Segments with strange names are passed over, and those with long numbers are read", async () => {
  const records = await fill();
  const late = makeRecord();
  await writeFile(join(folder, "12345678901.jsonl"), `${JSON.stringify(late)}\n`);
  for (const name of ["00000000005.jsonl", "9007199254740991.jsonl", "99999999999999999999.jsonl", "1.jsonl"]) {
    await writeFile(join(folder, name), `${JSON.stringify(makeRecord())}\n`);
  }
  const { ids, added } = await reopen();
  expect(ids).toEqual([...records.map(({ id }) => id), late.id, added]);
});

test("Lines that are no records are kept in a file of their own", async () => {
  const record = JSON.stringify(makeRecord());
  await writeFile(segmentFile(folder, 1), `${record}\ngarbage one\n${record.slice(0, 40)}`);
  await reopen();
  expect(await readFile(join(folder, "unreadable.jsonl"), "utf8")).toBe(`garbage one\n${record.slice(0, 40)}\n`);
});

test("The file of unreadable lines does not grow beyond 16 MiB", async () => {
  const line = "x".repeat(1024 * 1024 - 1);
  await writeFile(segmentFile(folder, 1), `${line}\n`.repeat(20));
  const reader = await SpoolReader.open(folder);
  for (let batch = await reader.next(1); batch !== undefined; batch = await reader.next(1)) await reader.commit(batch);
  expect((await readFile(join(folder, "unreadable.jsonl"))).length).toBe(16 * 1024 * 1024);
});
