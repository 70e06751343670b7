import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { TaskDirectory } from "../../src/tasks/files/directory.ts";
import { fileTaskStore } from "../../src/tasks/files/index.ts";
import { memoryTaskStore, type TaskRecord } from "../../src/tasks/index.ts";
import { registerContract, taskStoreContract } from "../../src/testing/index.ts";

const folder = await mkdtemp(join(tmpdir(), "tasks-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const memory = memoryTaskStore();
registerContract("tasks in memory", taskStoreContract({ open: () => memory }), { describe, it });

const shared = join(folder, "shared");
registerContract("tasks in files", taskStoreContract({ open: () => fileTaskStore(shared), timeout: 20_000 }), {
  describe,
  it,
});

function record(id: string, parts: Partial<TaskRecord> = {}): TaskRecord {
  return { id, version: 1, owner: null, expires: null, wake: null, isOver: false, body: "{}", ...parts };
}

describe("A store of tasks in files", () => {
  it.each(["../escape", "a/b", "..", "UPPER", "con", "é", "x".repeat(500), "a\u0000b", ""])(
    "keeps a task of the id %j inside of its directory",
    async (id) => {
      const directory = join(folder, "ids", "inside");
      const store = fileTaskStore(directory);
      expect(await store.create(record(id))).toBe(true);
      expect((await store.read(id))?.id).toBe(id);
      expect(await store.replace(record(id, { version: 2 }), 1)).toBe(true);
      expect(await readdir(join(folder, "ids"))).toEqual(["inside"]);
      await store.delete(id);
    },
  );

  it("tells ids apart that differ in upper and lower case only", async () => {
    const store = fileTaskStore(join(folder, "case"));
    await store.create(record("task-a", { body: "lower" }));
    expect(await store.create(record("TASK-A", { body: "upper" }))).toBe(true);
    expect((await store.read("task-a"))?.body).toBe("lower");
  });

  it.runIf(process.platform !== "win32")("can be read by its user only", async () => {
    const directory = join(folder, "modes");
    await fileTaskStore(directory).create(record("task-a"));
    const modes = [directory, join(directory, "task-a"), join(directory, "task-a", "1")].map(
      async (path) => (await stat(path)).mode & 0o077,
    );
    expect(await Promise.all(modes)).toEqual([0, 0, 0]);
  });

  it("keeps one file for each task, and leaves nothing of others behind", async () => {
    const directory = join(folder, "tidy");
    const store = fileTaskStore(directory);
    await store.create(record("task-a"));
    for (let version = 1; version < 20; version += 1) {
      await store.replace(record("task-a", { version: version + 1 }), version);
    }
    await store.read("task-a");
    expect(await readdir(join(directory, "task-a"))).toEqual(["20"]);
    await store.delete("task-a");
    expect(await readdir(directory)).toEqual([]);
  });

  it("ignores a version that a process has begun to write, and never finished", async () => {
    const directory = join(folder, "draft");
    const store = fileTaskStore(directory);
    await store.create(record("task-a", { body: "whole" }));
    await writeFile(join(directory, "task-a", "2.0a-1b.tmp"), '{"id":"task-a","ver');
    expect((await store.read("task-a"))?.body).toBe("whole");
    expect(await store.replace(record("task-a", { version: 2 }), 1)).toBe(true);
    await store.read("task-a");
    expect(await readdir(join(directory, "task-a"))).toEqual(["2"]);
  });

  it("does not count a write whose process was stopped while others went on, although its number is free again", async () => {
    const directory = join(folder, "late");
    const [one, other] = [fileTaskStore(directory), fileTaskStore(directory)];
    await one.create(record("task-a"));
    // The first process is stopped after it has read version 1, and before it takes the number 2.
    const { add } = TaskDirectory.prototype;
    const spy = vi.spyOn(TaskDirectory.prototype, "add");
    spy.mockImplementationOnce(async function stopped(this: TaskDirectory, ...late) {
      for (let version = 1; version < 5; version += 1) {
        const next = record("task-a", { version: version + 1, body: `${version + 1}` });
        expect(await other.replace(next, version)).toBe(true);
      }
      const isAdded = await add.apply(this, late);
      expect(isAdded).toBe(true);
      return isAdded;
    });
    expect(await one.replace(record("task-a", { version: 2, body: "late" }), 1)).toBe(false);
    spy.mockRestore();
    expect((await one.read("task-a"))?.body).toBe("5");
    expect(await readdir(join(directory, "task-a"))).toEqual(["5"]);
  });

  it("counts and finds what other processes change while it looks at all folders", async () => {
    const directory = join(folder, "shared");
    const [own, others] = [fileTaskStore(directory), fileTaskStore(directory)];
    for (let task = 0; task < 50; task += 1) await own.create(record(`task-${task}`, { wake: 100 }));
    const looking = own.due(10, 100);
    await others.create(record("task-late", { wake: 1 }));
    expect(await own.due(10, 100)).toEqual(["task-late"]);
    expect(await own.count(null)).toMatchObject({ all: 51 });
    await others.delete("task-0");
    expect(await own.count(null)).toMatchObject({ all: 50 });
    await looking;
  });

  it("says which file is damaged, and still finds the other tasks", async () => {
    const directory = join(folder, "damaged");
    const store = fileTaskStore(directory);
    await store.create(record("task-a", { wake: 1 }));
    await store.create(record("task-b", { wake: 1 }));
    await writeFile(join(directory, "task-a", "1"), "garbage");
    await expect(store.read("task-a")).rejects.toThrow("task-a is damaged");
    expect(await store.due(10, 10)).toEqual(["task-b"]);
  });

  it.each([undefined, "", 7])("takes the path of a directory, and not %j", (given) => {
    expect(() => fileTaskStore(given as string)).toThrow("the path of a directory");
  });
});
